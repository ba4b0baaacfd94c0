// Follows the audit chain from its beginning and names the first row or link that is not as it was sealed.

import type { Db, Statement, Tx } from '../../database'
import type { AuditedTable, AuditFault } from './audit-entity'
import { numberIn, rowHashOf, rowTextOf, uuidIn } from './rows'
import { chainHashOf, firstHash } from './seal'
import { findUnsealed, type UnsealedRows, unsealedMs } from './unsealed'

export interface Verified {
  readonly links: bigint
  /** The last chain hash: kept elsewhere, it shows later that nobody has made the whole chain anew. */
  readonly head: string
  readonly fault: FirstFault | null
  /** Rows that are not sealed yet, by table. */
  readonly unsealed: Readonly<Record<AuditedTable, number>>
}

export interface FirstFault {
  readonly what: AuditFault
  /** Null for a row that has no link. */
  readonly sequence: bigint | null
  /** Null for a link that is not there: nobody knows what it was about. */
  readonly table: AuditedTable | null
  readonly rowId: string | null
}

interface FollowedLink {
  readonly sequence: bigint
  readonly table: AuditedTable
  readonly rowId: string
  readonly rowHash: Buffer
  readonly chainHash: Buffer
  /** Of the row as it is now; null when it is not there. */
  readonly rowText: string | null
}

/** With a head that was kept elsewhere it also notices when the end of the chain was cut off, or all of it made anew. */
export async function verifyAudit(db: Db, keptHead: string | null = null, atOnce = 5_000): Promise<Verified> {
  let head: Buffer = firstHash
  let links = 0n
  let fault: FirstFault | null = null
  for (let isOver = false; !isOver && fault === null; ) {
    const some = await readLinks(db, { after: links, limit: atOnce })
    isOver = some.length < atOnce
    for (const link of some) {
      fault = faultOf(link, links + 1n, head)
      if (fault !== null) break
      head = link.chainHash
      links = link.sequence
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
    unsealed: { ...none, ...Object.fromEntries(unsealed.map(countOf)) },
  }
}

/** The chain is judged first: only a link that holds can say what its row was. */
function faultOf(link: FollowedLink, expected: bigint, before: Buffer): FirstFault | null {
  const { sequence, table, rowId, rowHash, chainHash, rowText } = link
  if (sequence !== expected) return { what: 'link_missing', sequence: expected, table: null, rowId: null }
  const at = { sequence, table, rowId }
  if (!chainHashOf(before, rowHash).equals(chainHash)) return { what: 'link_changed', ...at }
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

function readLinks(db: Db, page: { after: bigint; limit: number }): Promise<FollowedLink[]> {
  return byItself(db, (tx) => tx.query<FollowedLink>(selectLinks, [page.after, page.limit]))
}

function readUnsealed(db: Db): Promise<UnsealedRows[]> {
  return byItself(db, findUnsealed)
}

/** With PostgreSQL's own operators and functions, whatever somebody has put before them. */
async function byItself<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.sql`SELECT pg_catalog.set_config('search_path', 'pg_catalog, public', true),
    pg_catalog.set_config('statement_timeout', ${String(unsealedMs)}, true)`
    return read(tx)
  })
}

const selectLinks: Statement = {
  name: 'audit-links',
  text: `SELECT link.sequence, link.table_name AS table, link.row_id AS "rowId", link.row_hash AS "rowHash",
      link.chain_hash AS "chainHash", CASE
        WHEN s.id IS NOT NULL THEN ${rowTextOf.ledger_sets('s')} WHEN e.id IS NOT NULL THEN ${rowTextOf.ledger_entries('e')}
        WHEN c.id IS NOT NULL THEN ${rowTextOf.charges('c')} WHEN a.id IS NOT NULL THEN ${rowTextOf.activity('a')}
        WHEN o.id IS NOT NULL THEN ${rowTextOf.ledger_accounts('o')} END AS "rowText"
    FROM (SELECT * FROM audit_chain WHERE sequence > $1 ORDER BY sequence LIMIT $2) link
    LEFT JOIN ledger_sets s ON s.id = ${uuidIn('link', 'ledger_sets')}
    LEFT JOIN ledger_entries e ON e.id = ${numberIn('link', 'ledger_entries')}
    LEFT JOIN charges c ON c.id = ${uuidIn('link', 'charges')}
    LEFT JOIN activity a ON a.id = ${numberIn('link', 'activity')}
    LEFT JOIN ledger_accounts o ON o.id = ${uuidIn('link', 'ledger_accounts')}
    ORDER BY link.sequence`,
}
