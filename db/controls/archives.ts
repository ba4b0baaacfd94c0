// Partitions of the growing tables, and the archives of the dropped ones. A partition is dropped only after its rows are
// in a verified file. The record of an archive explains to the audit chain and the reconciliation why rows are missing.
import { createHash } from 'node:crypto'
import { bigint, bytes, columnsOf, entity, id, orNull, text, time } from '../columns'
import type { Db, Queryable, Tx } from '../database'
import { newId } from '../id'
import { identifier, type Sql, sql } from '../sql'
import { linkRowNumber, rowHashOf, rowTextOf } from './audit/rows'

export const partitionedTables = ['activity', 'payout_events'] as const
export type PartitionedTable = (typeof partitionedTables)[number]

export interface ArchiveRow {
  readonly id: string
  readonly tableName: PartitionedTable
  readonly fromId: bigint
  /** The first ID after the archived ones. */
  readonly beforeId: bigint
  readonly rowCount: bigint
  /** The newest time in a row. Null if there was no row. */
  readonly newestAt: Date | null
  /** Of the file as it is stored. */
  readonly sha256: Buffer
  readonly archivedAt: Date
  readonly archivedBy: string
}

export const archive = entity<ArchiveRow>('Archive', 'archives', {
  id,
  tableName: text,
  fromId: bigint,
  beforeId: bigint,
  rowCount: bigint,
  newestAt: orNull(time),
  sha256: bytes,
  archivedAt: time,
  archivedBy: text,
})

export interface Partition {
  readonly name: string
  readonly table: PartitionedTable
  /** 0 for the first partition of a table. Null for the default partition. */
  readonly fromId: bigint | null
  readonly beforeId: bigint | null
  readonly bytes: bigint
  /** IDs of the table reach beyond the partition, so it gets no more rows. */
  readonly isFull: boolean
}

/** A partition other than the default one. */
export interface Range extends Partition {
  readonly fromId: bigint
  readonly beforeId: bigint
}

export function isRange(partition: Partition): partition is Range {
  return partition.fromId !== null && partition.beforeId !== null
}

/**
 * Creates partitions ahead of the IDs, if there are too few, and returns their number. Returns `blocked` if one is due
 * and cannot be created, because a table is locked or rows are in a default partition. Idempotent.
 */
export async function addPartitions(db: Queryable): Promise<number | 'blocked'> {
  const [row] = await db.sql<{ added: number }>`SELECT add_partitions() AS added`
  const added = row?.added ?? 0
  return added < 0 ? 'blocked' : added
}

/** Lists the partitions of each table by ID. The default partition comes last. */
export async function listPartitions(db: Queryable): Promise<Partition[]> {
  return db.sql<Partition>`SELECT partition.relname AS name, parent.relname AS table, bounds.before_id,
      CASE WHEN bounds.before_id IS NOT NULL THEN coalesce(bounds.from_id, 0) END AS from_id,
      pg_total_relation_size(partition.oid) AS bytes,
      coalesce(bounds.before_id <= pg_sequence_last_value(pg_get_serial_sequence(parent.relname, 'id')::regclass), false) AS is_full
    FROM pg_inherits JOIN pg_class partition ON partition.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
    CROSS JOIN LATERAL (SELECT pg_get_expr(partition.relpartbound, partition.oid) AS bound) shown
    CROSS JOIN LATERAL (SELECT (regexp_match(bound, 'FROM \\(''?([0-9]+)'))[1]::bigint AS from_id,
      (regexp_match(bound, 'TO \\(''?([0-9]+)'))[1]::bigint AS before_id) bounds
    WHERE parent.relname = ANY (${partitionedTables}::text[]) AND parent.relnamespace = 'public'::regnamespace
    ORDER BY parent.relname, bounds.before_id NULLS LAST`
}

/** Whether this role may drop partitions. The application's role may not. */
export async function isOwner(db: Queryable): Promise<boolean> {
  const [row] = await db.sql<{ isOwner: boolean }>`SELECT pg_has_role(current_user, relowner, 'USAGE') AS is_owner
    FROM pg_class WHERE oid = 'public.archives'::regclass`
  return row?.isOwner ?? false
}

/** Why a row must stay: it is too young, still in use, or not what the audit chain sealed. */
export type Need = 'too_young' | 'payout_open' | 'not_pruned' | 'not_sealed' | 'not_as_sealed' | 'row_missing'

export interface NeededRow {
  readonly need: Need
  readonly rowId: bigint
}

export class StillNeeded extends Error {
  constructor(readonly needed: NeededRow) {
    super(`row ${needed.rowId} is still needed: ${needed.need}`)
    this.name = 'StillNeeded'
  }
}

/** Reads the rows of a partition as lines of JSON, in order of their IDs. Throws StillNeeded at a row that must stay. */
export async function* linesOf(db: Db | Tx, partition: Range, before: Date): AsyncGenerator<Line[]> {
  // Starts with the least ID, because the first partition has no lower bound.
  for (let after = -(2n ** 63n); ; ) {
    const rows = await readBatch(db, partition, { before, after })
    for (const row of rows) {
      const need = needOf(row)
      if (need !== null) throw new StillNeeded({ need, rowId: row.id })
    }
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.id
  }
}

export interface Line {
  readonly id: bigint
  readonly at: Date
  readonly line: string
}

interface ReadRow extends Line {
  readonly need: Need | null
  /** The text that the audit chain hashes, and the hash in the chain. Null in a table that the chain does not seal. */
  readonly rowText: string | null
  readonly rowHash: Buffer | null
}

const batchSize = 5_000

function readBatch(db: Db | Tx, { name, table }: Range, { before, after }: { before: Date; after: bigint }) {
  const { need, rowText, rowHash, join } = checksOf[table](before)
  // The line is built from columns in UTC, because the session's time zone would change its text.
  return db.sql<ReadRow>`SELECT r.id, r.at, ${lineOf[table]} AS line, ${need} AS need, ${rowText} AS row_text,
      ${rowHash} AS row_hash
    FROM (SELECT * FROM ONLY ${identifier(name)} WHERE id > ${after} ORDER BY id LIMIT ${batchSize}) r ${join} ORDER BY r.id`
}

const utc = sql`to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const lineOf: Readonly<Record<PartitionedTable, Sql>> = {
  activity: sql`json_build_object('id', r.id, 'partner_id', r.partner_id, 'at', ${utc}, 'environment', r.environment,
    'action', r.action, 'changes', r.changes, 'status', r.status, 'made_by', r.made_by, 'detail', r.detail,
    'request_id', r.request_id)::text`,
  payout_events: sql`json_build_object('id', r.id, 'payout_id', r.payout_id, 'at', ${utc}, 'kind', r.kind,
    'status', r.status, 'made_by', r.made_by, 'detail', r.detail)::text`,
}

interface Checks {
  readonly need: Sql
  readonly rowText: Sql
  readonly rowHash: Sql
  readonly join: Sql
}

const checksOf: Readonly<Record<PartitionedTable, (before: Date) => Checks>> = {
  // Entries about reads are personal data without a use. They are deleted after their retention period, not archived.
  activity: (before) => ({
    need: sql`CASE WHEN r.at >= ${before} THEN 'too_young' WHEN NOT r.changes THEN 'not_pruned' END`,
    rowText: rowTextOf.activity(sql`r`),
    rowHash: sql`link.row_hash`,
    join: linkOfActivity,
  }),
  // The reconciliation and operators need the timeline of a payout that is not closed or needs attention.
  payout_events: (before) => ({
    need: sql`CASE WHEN r.at >= ${before} THEN 'too_young'
      WHEN coalesce(p.closed_at, p.released_at) < ${before} AND p.attention IS NULL THEN NULL ELSE 'payout_open' END`,
    rowText: sql`NULL::text`,
    rowHash: sql`NULL::bytea`,
    join: sql`LEFT JOIN payouts p ON p.id = r.payout_id`,
  }),
}

const linkOfActivity = sql`LEFT JOIN audit_chain link ON link.table_name = 'activity' AND link.row_id = r.id::text`

function needOf({ need, rowText, rowHash }: Pick<ReadRow, 'need' | 'rowText' | 'rowHash'>): Need | null {
  if (need !== null || rowText === null) return need
  if (rowHash === null) return 'not_sealed'
  return rowHashOf(rowText).equals(rowHash) ? null : 'not_as_sealed'
}

/** Compares archived activity entries with the audit chain. Returns the first one that the chain does not contain. */
export async function findForged(db: Queryable, lines: readonly string[]): Promise<NeededRow | null> {
  const rows = await db.sql<
    Omit<ReadRow, 'at' | 'line'>
  >`SELECT r.id, NULL AS need, ${rowTextOf.activity(sql`r`)} AS row_text,
      link.row_hash
    FROM json_populate_recordset(NULL::activity, ${`[${lines.join(',')}]`}::json) r ${linkOfActivity} ORDER BY r.id`
  for (const row of rows) {
    const need = needOf(row)
    if (need !== null) return { need, rowId: row.id }
  }
  return null
}

/** A digest of lines, to compare a file with a table. */
export function digestOfLines() {
  const hash = createHash('sha256')
  let rows = 0n
  return {
    add(line: string) {
      hash.update(line).update('\n')
      rows += 1n
    },
    end: () => ({ digest: hash.digest('hex'), rows }),
  }
}

export interface WrittenFile {
  /** The digest and the number of its lines, as `digestOfLines` returns them. */
  readonly digest: string
  readonly rows: bigint
  /** Of the stored bytes. */
  readonly sha256: Buffer
}

interface Dropping {
  readonly before: Date
  readonly file: WrittenFile
  readonly at: Date
  readonly by: string
}

/**
 * Drops a partition whose rows are in a file, and records the archive, in one transaction. Returns `differs`, and drops
 * nothing, if the file does not contain exactly the rows of the partition. Throws StillNeeded as `linesOf` does.
 */
export async function dropPartition(db: Db, partition: Range, dropping: Dropping): Promise<'dropped' | 'differs'> {
  const { before, file, at, by } = dropping
  const [name, parent] = [identifier(partition.name), identifier(partition.table)]
  return db.transaction(async (tx) => {
    await tx.sql`SELECT set_config('lock_timeout', '3s', true)`
    await tx.sql`LOCK TABLE ONLY ${name} IN SHARE MODE`
    const digest = digestOfLines()
    let newestMs = Number.NEGATIVE_INFINITY
    for await (const lines of linesOf(tx, partition, before)) {
      for (const { line, at: rowAt } of lines) {
        digest.add(line)
        newestMs = Math.max(newestMs, rowAt.getTime())
      }
    }
    const found = digest.end()
    if (found.digest !== file.digest || found.rows !== file.rows) return 'differs'
    if (partition.table === 'activity') await requireEachLinkedRow(tx, partition, found.rows)

    await lockToDrop(tx, partition.table)
    await tx.repo(archive).insert({
      id: newId(at),
      tableName: partition.table,
      fromId: partition.fromId,
      beforeId: partition.beforeId,
      rowCount: found.rows,
      newestAt: found.rows === 0n ? null : new Date(newestMs),
      sha256: file.sha256,
      archivedAt: at,
      archivedBy: by,
    })
    await tx.sql`ALTER TABLE ${parent} DETACH PARTITION ${name}`
    await tx.sql`DROP TABLE ${name}`
    return 'dropped'
  })
}

/** Dropping a table with a foreign key also locks the table that the key names. */
async function lockToDrop(tx: Tx, table: PartitionedTable): Promise<void> {
  const locked = table === 'payout_events' ? sql`payouts, ONLY payout_events` : sql`ONLY activity`
  // Blocks no reader or writer, and ends an automatic vacuum, which would hold the table for longer than the next waits.
  await tx.sql`LOCK TABLE ${locked} IN SHARE UPDATE EXCLUSIVE MODE`
  // All waits together are shorter than PostgreSQL's deadlock timeout, so that this fails and no payout does.
  await tx.sql`SELECT set_config('lock_timeout', '300ms', true)`
  await tx.sql`LOCK TABLE ${locked} IN ACCESS EXCLUSIVE MODE`
}

/** A row that was removed before would otherwise no longer be found, because its link would count as archived. */
async function requireEachLinkedRow(tx: Tx, { name, fromId, beforeId }: Range, rows: bigint): Promise<void> {
  if ((await countLinks(tx, { fromId, beforeId })) === rows) return
  const [missing] = await tx.run<{ rowId: bigint }>(
    sql`SELECT ${linkRowNumber('activity')} AS row_id FROM audit_chain link WHERE ${isLinkIn({ fromId, beforeId })}
      AND NOT EXISTS (SELECT FROM ONLY ${identifier(name)} r WHERE r.id = ${linkRowNumber('activity')}) ORDER BY link.sequence LIMIT 1`,
    { answerMs: countMs + 2_000 },
  )
  throw new StillNeeded({ need: 'row_missing', rowId: missing?.rowId ?? fromId })
}

type Bounds = Pick<ArchiveRow, 'fromId' | 'beforeId'>

function isLinkIn({ fromId, beforeId }: Bounds): Sql {
  const number = linkRowNumber('activity')
  return sql`link.table_name = 'activity' AND ${number} >= ${fromId} AND ${number} < ${beforeId}`
}

/** Reads the whole chain, and allows the rest of the transaction as much time for each statement. */
async function countLinks(tx: Tx, bounds: Bounds): Promise<bigint> {
  await tx.sql`SELECT set_config('statement_timeout', ${String(countMs)}, true)`
  const [found] = await tx.run<{ links: bigint }>(
    sql`SELECT count(*) AS links FROM audit_chain link WHERE ${isLinkIn(bounds)}`,
    { answerMs: countMs + 2_000 },
  )
  return found?.links ?? 0n
}

/**
 * Returns the archives of the activity list that can explain missing rows. The owner of the database could record a
 * false one to hide a removed row. It would overlap an existing partition, or have another number of rows than the audit
 * chain.
 */
export async function listProvenArchives(tx: Tx): Promise<string[]> {
  const partitions = (await listPartitions(tx)).filter(isRange).filter(({ table }) => table === 'activity')
  const proven: string[] = []
  for (const each of await listArchives(tx)) {
    if (each.tableName !== 'activity') continue
    const isPresent = partitions.some(({ fromId, beforeId }) => fromId < each.beforeId && each.fromId < beforeId)
    if (!isPresent && (await countLinks(tx, each)) === each.rowCount) proven.push(each.id)
  }
  return proven
}

const countMs = 600_000

export async function listArchives(db: Db | Tx): Promise<ArchiveRow[]> {
  return db.repo(archive).find({ order: { tableName: 'ASC', fromId: 'ASC' } })
}

export async function findArchive(db: Queryable, sha256: Buffer): Promise<ArchiveRow | null> {
  const [row] = await db.sql<ArchiveRow>`SELECT ${columnsOf(archive)} FROM archives WHERE sha256 = ${sha256}`
  return row ?? null
}
