// Chains rows of the ledger, charges and recorded changes, each hash bound to the one before it, off everybody's path.
import { createHash } from 'node:crypto'
import type { Statement, Tx } from './database'
import type { AuditedTable } from './entities/audit'

export interface RowToSeal {
  readonly tableName: AuditedTable
  readonly rowId: string
  readonly rowHash: Buffer
}

export const firstHash = Buffer.alloc(32)

export function chainHashOf(before: Buffer, rowHash: Buffer): Buffer {
  return createHash('sha256').update(before).update(rowHash).digest()
}

/** One sealer at a time; answers how many rows it chained. */
export async function sealRows(tx: Tx, { at, limit }: { at: Date; limit: number }): Promise<number> {
  const [locked] = await tx.query<{ locked: boolean }>(lock, [])
  if (!locked?.locked) return 0
  const [last] = await tx.query<{ sequence: bigint; chainHash: Buffer }>(selectLast, [])
  const rows = await tx.query<RowToSeal>(selectUnsealed, [limit, at])
  let hash = last?.chainHash ?? firstHash
  const links = rows.map((row) => {
    hash = chainHashOf(hash, row.rowHash)
    return { ...row, chainHash: hash }
  })
  const first = (last?.sequence ?? 0n) + 1n
  await tx.query(insert, [
    first,
    links.map(({ tableName }) => tableName),
    links.map(({ rowId }) => rowId),
    links.map(({ rowHash }) => rowHash),
    links.map(({ chainHash }) => chainHash),
    at,
  ])
  return links.length
}

const lock: Statement = {
  name: 'audit-lock',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended('audit_chain', 0)) AS locked`,
}

const selectLast: Statement = {
  name: 'audit-last',
  text: 'SELECT sequence, chain_hash AS "chainHash" FROM audit_chain ORDER BY sequence DESC LIMIT 1',
}

/**
 * A number is taken a moment before its transaction gets an id, so one that is lower than what is sealed may still come, but
 * only from a transaction that ran then. What was sealed before the oldest that runs now is passed; the minutes are for clocks.
 */
const passedAt = `(least($2::timestamptz, (SELECT min(xact_start) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid())) - interval '5 minutes')`

/** What a table was sealed up to by then; a lower number is as good, and only looks at more. */
const sealedTo = (table: string) => `coalesce((SELECT row_id::bigint FROM audit_chain
  WHERE table_name = '${table}' AND sealed_at < ${passedAt} ORDER BY sequence DESC LIMIT 1), 0)`

/** Charges have no number that grows: a day before the last one that was sealed by then. */
const chargesSealedTo = `coalesce((SELECT sealed.created_at - interval '1 day' FROM audit_chain link
  JOIN charges sealed ON sealed.id = CASE link.table_name WHEN 'charges' THEN link.row_id::uuid END
  WHERE link.table_name = 'charges' AND link.sealed_at < ${passedAt} ORDER BY link.sequence DESC LIMIT 1), '-infinity')`

const isUnsealed = (table: string, id: string) =>
  `NOT EXISTS (SELECT FROM audit_chain link WHERE link.table_name = '${table}' AND link.row_id = ${id}::text)`

/**
 * Only rows of transactions that are older than the oldest one still running. Of two transactions the later one may commit
 * first: a row that is sealed at once could be followed by one that was written before it. Behind this horizon nobody writes any
 * more, so a batch is complete, and every later batch holds only what was over later. Ages are counted, not transaction ids
 * compared, which come round again. A set is found by its entries, which have a number that grows; it goes before them.
 */
const isOver = (row: string) => `age(${row}.xmin) > age((SELECT pg_snapshot_xmin(pg_current_snapshot()))::xid)`

const selectUnsealed: Statement = {
  name: 'audit-unsealed',
  text: `WITH entries AS (
      SELECT e, e.id, e.set_id, age(e.xmin) AS old FROM ledger_entries e
      WHERE e.id > ${sealedTo('ledger_entries')} AND ${isUnsealed('ledger_entries', 'e.id')} AND ${isOver('e')}
      ORDER BY e.id LIMIT $1
    ), sets AS (
      SELECT s, s.id, age(s.xmin) AS old FROM ledger_sets s
      WHERE s.id IN (SELECT set_id FROM entries) AND ${isUnsealed('ledger_sets', 's.id')}
    ), fees AS (
      SELECT c, c.id, age(c.xmin) AS old FROM charges c
      WHERE c.created_at > ${chargesSealedTo} AND ${isUnsealed('charges', 'c.id')} AND ${isOver('c')}
      ORDER BY c.created_at LIMIT $1
    ), changes AS (
      SELECT a, a.id, age(a.xmin) AS old FROM activity a
      WHERE a.changes AND a.id > ${sealedTo('activity')} AND ${isUnsealed('activity', 'a.id')} AND ${isOver('a')}
      ORDER BY a.id LIMIT $1
    )
    SELECT "tableName", "rowId", "rowHash" FROM (
      SELECT old, 1 AS rank, 0 AS number, id::text AS "rowId", 'ledger_sets' AS "tableName", audit_hash(s) AS "rowHash" FROM sets
      UNION ALL SELECT old, 2, id, id::text, 'ledger_entries', audit_hash(e) FROM entries
      UNION ALL SELECT old, 3, 0, id::text, 'charges', audit_hash(c) FROM fees
      UNION ALL SELECT old, 4, id, id::text, 'activity', audit_hash(a) FROM changes
    ) unsealed
    ORDER BY old DESC, rank, number, "rowId"`,
}

const insert: Statement = {
  name: 'audit-insert',
  text: `INSERT INTO audit_chain (sequence, table_name, row_id, row_hash, chain_hash, sealed_at)
    SELECT $1 + link.position - 1, link.table_name, link.row_id, link.row_hash, link.chain_hash, $6
    FROM unnest($2::text[], $3::text[], $4::bytea[], $5::bytea[])
      WITH ORDINALITY AS link (table_name, row_id, row_hash, chain_hash, position)`,
}
