// Chains rows of the ledger, charges and recorded changes, each hash bound to the one before it, off everybody's path.
import { createHash } from 'node:crypto'
import type { Statement, Tx } from '../../database'
import type { AuditedTable } from './audit-entity'
import { horizonNow, isAhead, movePassed } from './progress'
import { rowHashOf, rowTextOf } from './rows'

export interface Sealed {
  /** How many rows were chained. */
  readonly rows: number
  /** Of the whole chain, afterwards. */
  readonly links: bigint
  readonly head: string
}

interface RowToSeal {
  readonly tableName: AuditedTable
  readonly rowId: string
  readonly rowText: string
}

export const firstHash = Buffer.alloc(32)

export function chainHashOf(before: Buffer, rowHash: Buffer): Buffer {
  return createHash('sha256').update(before).update(rowHash).digest()
}

/** One sealer at a time: null where another one is at work. */
export async function sealRows(tx: Tx, { at, limit }: { at: Date; limit: number }): Promise<Sealed | null> {
  const [locked] = await tx.sql<{
    locked: boolean
  }>`SELECT pg_try_advisory_xact_lock(hashtextextended('audit_chain', 0)) AS locked,
    set_config('statement_timeout', ${String(statementMs)}, true)`
  if (!locked?.locked) return null
  const [last] = await tx.sql<{
    sequence: bigint
    chainHash: Buffer
  }>`SELECT sequence, chain_hash FROM audit_chain ORDER BY sequence DESC LIMIT 1`
  const horizon = await horizonNow(tx)
  const rows = await tx.query<RowToSeal>(selectUnsealed, [limit])
  const before = last?.sequence ?? 0n
  let hash = last?.chainHash ?? firstHash
  const links = rows.map(({ tableName, rowId, rowText }) => {
    const rowHash = rowHashOf(rowText)
    hash = chainHashOf(hash, rowHash)
    return { tableName, rowId, rowHash, chainHash: hash }
  })
  await tx.sql`INSERT INTO audit_chain (sequence, table_name, row_id, row_hash, chain_hash, sealed_at)
    SELECT ${before + 1n} + link.position - 1, link.table_name, link.row_id, link.row_hash, link.chain_hash, ${at}
    FROM unnest(${links.map(({ tableName }) => tableName)}::text[], ${links.map(({ rowId }) => rowId)}::text[], ${links.map(({ rowHash }) => rowHash)}::bytea[], ${links.map(({ chainHash }) => chainHash)}::bytea[])
      WITH ORDINALITY AS link (table_name, row_id, row_hash, chain_hash, position)`
  const sequence = before + BigInt(links.length)
  // Only who took all there was can say that nothing is left.
  if (links.length < limit) await movePassed(tx, { horizon, sequence, at })
  return { rows: links.length, links: sequence, head: hash.toString('hex') }
}

// After days without a sealer each batch looks through all that those before it have sealed.
const statementMs = 50_000

const isUnsealed = (table: AuditedTable, id: string) =>
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
  answerMs: statementMs + 2_000,
  text: `WITH accounts AS (
      SELECT o.id, age(o.xmin) AS old, ${rowTextOf.ledger_accounts('o')} AS words
      FROM wallets w JOIN ledger_accounts o ON o.wallet_id = w.id
      WHERE ${isAhead.wallets('w')} AND ${isUnsealed('ledger_accounts', 'o.id')} AND ${isOver('o')}
      ORDER BY w.created_at, o.id LIMIT $1
    ), entries AS (
      SELECT e.id, e.set_id, age(e.xmin) AS old, ${rowTextOf.ledger_entries('e')} AS words FROM ledger_entries e
      WHERE ${isAhead.ledger_entries('e')} AND ${isUnsealed('ledger_entries', 'e.id')} AND ${isOver('e')}
      ORDER BY e.id LIMIT $1
    ), sets AS (
      SELECT s.id, age(s.xmin) AS old, ${rowTextOf.ledger_sets('s')} AS words FROM ledger_sets s
      WHERE s.id IN (SELECT set_id FROM entries) AND ${isUnsealed('ledger_sets', 's.id')}
    ), fees AS (
      SELECT c.id, age(c.xmin) AS old, ${rowTextOf.charges('c')} AS words FROM charges c
      WHERE ${isAhead.charges('c')} AND ${isUnsealed('charges', 'c.id')} AND ${isOver('c')}
      ORDER BY c.created_at LIMIT $1
    ), changes AS (
      SELECT a.id, age(a.xmin) AS old, ${rowTextOf.activity('a')} AS words FROM activity a
      WHERE a.changes AND ${isAhead.activity('a')} AND ${isUnsealed('activity', 'a.id')} AND ${isOver('a')}
      ORDER BY a.id LIMIT $1
    )
    SELECT "tableName", "rowId", "rowText" FROM (
      SELECT old, 0 AS rank, 0 AS number, id::text AS "rowId", 'ledger_accounts' AS "tableName", words AS "rowText" FROM accounts
      UNION ALL SELECT old, 1, 0, id::text, 'ledger_sets', words FROM sets
      UNION ALL SELECT old, 2, id, id::text, 'ledger_entries', words FROM entries
      UNION ALL SELECT old, 3, 0, id::text, 'charges', words FROM fees
      UNION ALL SELECT old, 4, id, id::text, 'activity', words FROM changes
    ) unsealed
    ORDER BY old DESC, rank, number, "rowId"`,
}
