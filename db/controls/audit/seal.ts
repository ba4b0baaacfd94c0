// Seals ledger rows, charges and activity entries about changes into the audit chain. Each hash includes the previous
// one.
import { createHash } from 'node:crypto'
import { bigint, bytes, entity, primary, text, time } from '../../columns'
import type { Tx } from '../../database'
import { type Sql, sql } from '../../sql'
import { horizonNow, isAhead, movePassed } from './progress'
import { type AuditedTable, nameOf, rowHashOf, rowTextOf } from './rows'

interface AuditLinkRow {
  readonly sequence: bigint
  readonly tableName: AuditedTable
  readonly rowId: string
  readonly rowHash: Buffer
  readonly chainHash: Buffer
  readonly sealedAt: Date
}

export const auditLink = entity<AuditLinkRow>('AuditLink', 'audit_chain', {
  sequence: primary(bigint),
  tableName: text,
  rowId: text,
  rowHash: bytes,
  chainHash: bytes,
  sealedAt: time,
})

export interface Sealed {
  /** The number of newly sealed rows. */
  readonly rows: number
  /** The new length of the whole chain. */
  readonly links: bigint
  readonly head: string
}

export const firstHash = Buffer.alloc(32)

export function chainHashOf(before: Buffer, rowHash: Buffer): Buffer {
  return createHash('sha256').update(before).update(rowHash).digest()
}

/** Allows one sealer at a time. Returns null if another one is running. */
export async function sealRows(tx: Tx, { at, limit }: { at: Date; limit: number }): Promise<Sealed | null> {
  const [lock] = await tx.sql<{ isLocked: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended('audit_chain', 0)) AS is_locked,
      set_config('statement_timeout', ${String(statementMs)}, true)`
  if (!lock?.isLocked) return null
  const last = await tx.repo(auditLink).findOne({ where: {}, order: { sequence: 'DESC' } })
  const horizon = await horizonNow(tx)
  const rows = await listUnsealed(tx, limit)
  const before = last?.sequence ?? 0n
  let hash = last?.chainHash ?? firstHash
  const links = rows.map(({ tableName, rowId, rowText }) => {
    const rowHash = rowHashOf(rowText)
    hash = chainHashOf(hash, rowHash)
    return { tableName, rowId, rowHash, chainHash: hash }
  })
  await tx.sql`INSERT INTO audit_chain (sequence, table_name, row_id, row_hash, chain_hash, sealed_at)
    SELECT ${before + 1n} + link.position - 1, link.table_name, link.row_id, link.row_hash, link.chain_hash, ${at}
    FROM unnest(${links.map(({ tableName }) => tableName)}::text[], ${links.map(({ rowId }) => rowId)}::text[],
      ${links.map(({ rowHash }) => rowHash)}::bytea[], ${links.map(({ chainHash }) => chainHash)}::bytea[])
      WITH ORDINALITY AS link (table_name, row_id, row_hash, chain_hash, position)`
  const sequence = before + BigInt(links.length)
  // A batch that is smaller than the limit contains every row that could be sealed.
  if (links.length < limit) await movePassed(tx, { horizon, sequence, at })
  return { rows: links.length, links: sequence, head: hash.toString('hex') }
}

interface RowToSeal {
  readonly tableName: AuditedTable
  readonly rowId: string
  readonly rowText: string
}

/** Finds ledger sets through their entries, because entry IDs increase. Seals each set before its entries. */
async function listUnsealed(tx: Tx, limit: number): Promise<RowToSeal[]> {
  return tx.run<RowToSeal>(
    sql`WITH accounts AS (
      SELECT o.id, age(o.xmin) AS old, ${rowTextOf.ledger_accounts(sql`o`)} AS row_text
      FROM wallets w JOIN ledger_accounts o ON o.wallet_id = w.id
      WHERE ${isAhead.wallets(sql`w`)} AND ${isUnsealed('ledger_accounts', sql`o.id`)} AND ${isOver(sql`o`)}
      ORDER BY w.created_at, o.id LIMIT ${limit}
    ), entries AS (
      SELECT e.id, e.set_id, age(e.xmin) AS old, ${rowTextOf.ledger_entries(sql`e`)} AS row_text FROM ledger_entries e
      WHERE ${isAhead.ledger_entries(sql`e`)} AND ${isUnsealed('ledger_entries', sql`e.id`)} AND ${isOver(sql`e`)}
      ORDER BY e.id LIMIT ${limit}
    ), sets AS (
      SELECT s.id, age(s.xmin) AS old, ${rowTextOf.ledger_sets(sql`s`)} AS row_text FROM ledger_sets s
      WHERE s.id IN (SELECT set_id FROM entries) AND ${isUnsealed('ledger_sets', sql`s.id`)}
    ), fees AS (
      SELECT c.id, age(c.xmin) AS old, ${rowTextOf.charges(sql`c`)} AS row_text FROM charges c
      WHERE ${isAhead.charges(sql`c`)} AND ${isUnsealed('charges', sql`c.id`)} AND ${isOver(sql`c`)}
      ORDER BY c.created_at LIMIT ${limit}
    ), changes AS (
      SELECT a.id, age(a.xmin) AS old, ${rowTextOf.activity(sql`a`)} AS row_text FROM activity a
      WHERE a.changes AND ${isAhead.activity(sql`a`)} AND ${isUnsealed('activity', sql`a.id`)} AND ${isOver(sql`a`)}
      ORDER BY a.id LIMIT ${limit}
    )
    SELECT table_name, row_id, row_text FROM (
      SELECT old, 0 AS rank, 0 AS number, id::text AS row_id, 'ledger_accounts' AS table_name, row_text FROM accounts
      UNION ALL SELECT old, 1, 0, id::text, 'ledger_sets', row_text FROM sets
      UNION ALL SELECT old, 2, id, id::text, 'ledger_entries', row_text FROM entries
      UNION ALL SELECT old, 3, 0, id::text, 'charges', row_text FROM fees
      UNION ALL SELECT old, 4, id, id::text, 'activity', row_text FROM changes
    ) unsealed
    ORDER BY old DESC, rank, number, row_id`,
    { answerMs: statementMs + 2_000 },
  )
}

// The timeout is long because, after days without a sealer, each batch must skip all rows that earlier batches sealed.
const statementMs = 50_000

function isUnsealed(table: AuditedTable, id: Sql): Sql {
  return sql`NOT EXISTS (SELECT FROM audit_chain link WHERE link.table_name = ${nameOf[table]} AND link.row_id = ${id}::text)`
}

/**
 * Selects only rows from transactions that are older than the oldest running one. The later of two transactions may
 * commit first, so sealing rows immediately could seal them out of order. No running transaction can add an older
 * row, so a batch is complete and later batches contain only rows from later transactions. Compares ages, because
 * transaction IDs wrap around.
 */
function isOver(row: Sql): Sql {
  return sql`age(${row}.xmin) > age((SELECT pg_snapshot_xmin(pg_current_snapshot()))::xid)`
}
