// Verifies the audit chain from its start, and reports the first fault.
import type { Db, Tx } from '../../database'
import { identifier, type Sql, sql } from '../../sql'
import { listProvenArchives } from '../archives'
import { isAhead } from './progress'
import { type AuditedTable, linkRowNumber, linkRowUuid, nameOf, rowHashOf, rowTextOf } from './rows'
import { chainHashOf, firstHash } from './seal'

export type AuditFault =
  | 'row_changed'
  | 'row_missing'
  | 'row_unsealed'
  | 'link_changed'
  | 'link_missing'
  | 'head_missing'

export interface Verified {
  readonly links: bigint
  /** The last chain hash. If a copy is stored elsewhere, a later verification detects a rebuilt chain. */
  readonly head: string
  readonly fault: FirstFault | null
  /** Rows that are in an archive and no longer in the database. Their archives prove them (db/controls/archives.ts). */
  readonly archived: number
  /** Rows that are not sealed yet, by table. */
  readonly unsealed: Readonly<Record<AuditedTable, number>>
}

export interface FirstFault {
  readonly what: AuditFault
  /** Null for a row that has no link. */
  readonly sequence: bigint | null
  /** Null for a missing link, because its row is unknown. */
  readonly table: AuditedTable | null
  readonly rowId: string | null
}

interface FollowedLink {
  readonly sequence: bigint
  readonly table: AuditedTable
  readonly rowId: string
  readonly rowHash: Buffer
  readonly chainHash: Buffer
  /** The current text of the row. Null if the row is missing. */
  readonly rowText: string | null
  /** The row is missing because it was archived. Its link still seals it. */
  readonly isArchived: boolean
}

/** With `keptHead`, a head that was stored elsewhere, also detects a chain that was truncated or rebuilt. */
export async function verifyAudit(db: Db, keptHead: string | null = null, atOnce = 5_000): Promise<Verified> {
  let head: Buffer = firstHash
  let links = 0n
  let archived = 0
  let fault: FirstFault | null = null
  let archives = await withOwnFunctions(db, listProvenArchives)
  for (let isOver = false; !isOver && fault === null; ) {
    const some = await readLinks(db, { after: links, limit: atOnce, archives })
    isOver = some.length < atOnce
    for (const link of some) {
      fault = faultOf(link, links + 1n, head)
      if (fault !== null) break
      head = link.chainHash
      links = link.sequence
      if (link.isArchived) archived += 1
    }
    // The row may have been archived since the archives were read. The links after the last valid one are then read again.
    const known = archives.length
    if (fault?.what === 'row_missing') archives = await withOwnFunctions(db, listProvenArchives)
    if (archives.length > known) {
      fault = null
      isOver = false
    }
  }
  if (fault === null && keptHead !== null && !(await isInChain(db, keptHead))) {
    fault = { what: 'head_missing', sequence: links + 1n, table: null, rowId: null }
  }
  const unsealed = await readUnsealed(db)
  fault ??= unsealed.map(forgottenIn).find((found) => found !== null) ?? null
  return {
    links,
    head: head.toString('hex'),
    fault,
    archived,
    unsealed: { ...none, ...Object.fromEntries(unsealed.map(countOf)) },
  }
}

/** Checks the link first, because only a valid link proves anything about its row. */
function faultOf(link: FollowedLink, expected: bigint, before: Buffer): FirstFault | null {
  const { sequence, table, rowId, rowHash, chainHash, rowText, isArchived } = link
  if (sequence !== expected) return { what: 'link_missing', sequence: expected, table: null, rowId: null }
  const at = { sequence, table, rowId }
  if (!chainHashOf(before, rowHash).equals(chainHash)) return { what: 'link_changed', ...at }
  if (isArchived) return null
  if (rowText === null) return { what: 'row_missing', ...at }
  return rowHashOf(rowText).equals(rowHash) ? null : { what: 'row_changed', ...at }
}

function forgottenIn({ table, forgottenId }: UnsealedRows): FirstFault | null {
  return forgottenId === null ? null : { what: 'row_unsealed', sequence: null, table, rowId: forgottenId }
}

function countOf({ table, count }: UnsealedRows): [AuditedTable, number] {
  return [table, count]
}

const none = { ledger_sets: 0, ledger_entries: 0, charges: 0, activity: 0, ledger_accounts: 0 }

async function isInChain(db: Db, head: string): Promise<boolean> {
  if (Buffer.from(head, 'hex').equals(firstHash)) return true
  return (await db.sql`SELECT 1 FROM audit_chain WHERE chain_hash = ${Buffer.from(head, 'hex')}`).length > 0
}

interface LinksToRead {
  readonly after: bigint
  readonly limit: number
  /** The IDs of the archives that explain missing rows. */
  readonly archives: readonly string[]
}

function readLinks(db: Db, { after, limit, archives }: LinksToRead): Promise<FollowedLink[]> {
  return withOwnFunctions(
    db,
    (
      tx,
    ) => tx.sql<FollowedLink>`SELECT link.sequence, link.table_name AS table, link.row_id, link.row_hash, link.chain_hash, CASE
        WHEN s.id IS NOT NULL THEN ${rowTextOf.ledger_sets(sql`s`)} WHEN e.id IS NOT NULL THEN ${rowTextOf.ledger_entries(sql`e`)}
        WHEN c.id IS NOT NULL THEN ${rowTextOf.charges(sql`c`)} WHEN a.id IS NOT NULL THEN ${rowTextOf.activity(sql`a`)}
        WHEN o.id IS NOT NULL THEN ${rowTextOf.ledger_accounts(sql`o`)} END AS row_text,
        link.table_name = 'activity' AND a.id IS NULL AND EXISTS (SELECT FROM archives WHERE archives.id = ANY (${archives}::uuid[])
          AND ${linkRowNumber('activity')} >= archives.from_id AND ${linkRowNumber('activity')} < archives.before_id) AS is_archived
    FROM (SELECT * FROM audit_chain WHERE sequence > ${after} ORDER BY sequence LIMIT ${limit}) link
    LEFT JOIN ledger_sets s ON s.id = ${linkRowUuid('ledger_sets')}
    LEFT JOIN ledger_entries e ON e.id = ${linkRowNumber('ledger_entries')}
    LEFT JOIN charges c ON c.id = ${linkRowUuid('charges')}
    LEFT JOIN activity a ON a.id = ${linkRowNumber('activity')}
    LEFT JOIN ledger_accounts o ON o.id = ${linkRowUuid('ledger_accounts')}
    ORDER BY link.sequence`,
  )
}

interface UnsealedRows {
  readonly table: AuditedTable
  readonly count: number
  /** A row that no sealer will find, because it precedes rows that are already sealed. Null if there is none. */
  readonly forgottenId: string | null
}

/** Scans all rows, which takes minutes in a large database. */
function readUnsealed(db: Db): Promise<UnsealedRows[]> {
  // The sealer finds a set through its entries.
  const hasEntryAhead = sql`EXISTS (SELECT FROM ledger_entries e WHERE e.set_id = r.id AND ${isAhead.ledger_entries(sql`e`)})`
  const isWalletAhead = sql`(SELECT ${isAhead.wallets(sql`w`)} FROM wallets w WHERE w.id = r.wallet_id) IS TRUE`
  const counted = sql`${countUnsealed('ledger_accounts', isWalletAhead)}
    UNION ALL ${countUnsealed('ledger_sets', hasEntryAhead)}
    UNION ALL ${countUnsealed('ledger_entries', isAhead.ledger_entries(sql`r`))}
    UNION ALL ${countUnsealed('charges', isAhead.charges(sql`r`))}
    UNION ALL ${countUnsealed('activity', isAhead.activity(sql`r`), sql`r.changes`)}`
  return withOwnFunctions(db, (tx) => tx.run<UnsealedRows>(counted, { answerMs: unsealedMs + 2_000 }))
}

function countUnsealed(table: AuditedTable, isWaiting: Sql, condition = sql`true`): Sql {
  return sql`SELECT ${nameOf[table]} AS table, count(*)::integer AS count,
      min(r.id::text) FILTER (WHERE NOT (${isWaiting})) AS forgotten_id
    FROM ${identifier(table)} r WHERE ${condition}
      AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.table_name = ${nameOf[table]} AND c.row_id = r.id::text)`
}

const unsealedMs = 600_000

/** Makes statements use PostgreSQL's own operators and functions, even if others with the same names exist. */
async function withOwnFunctions<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.sql`SELECT pg_catalog.set_config('search_path', 'pg_catalog, public', true),
      pg_catalog.set_config('statement_timeout', ${String(unsealedMs)}, true)`
    return read(tx)
  })
}
