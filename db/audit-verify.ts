// Follows the audit chain from its beginning and names the first row or link that is not as it was sealed.
import { chainHashOf, firstHash } from './audit-seal'
import type { Db, Statement } from './database'
import type { AuditedTable } from './entities/audit'

export type AuditFault = 'row_changed' | 'row_missing' | 'link_changed' | 'link_missing' | 'head_missing'

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
  readonly sequence: bigint
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
  readonly hashNow: Buffer | null
}

const atOnce = 5_000

/** With a head that was kept elsewhere it also notices when the end of the chain was cut off, or all of it made anew. */
export async function verifyAudit(db: Db, keptHead: string | null = null): Promise<Verified> {
  let head: Buffer = firstHash
  let links = 0n
  let fault: FirstFault | null = null
  for (let isOver = false; !isOver && fault === null; ) {
    const some = await db.query<FollowedLink>(selectLinks, [links, atOnce])
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
  return { links, head: head.toString('hex'), fault, unsealed: await countUnsealed(db) }
}

/** The chain is judged first: only a link that holds can say what its row was. */
function faultOf(link: FollowedLink, expected: bigint, before: Buffer): FirstFault | null {
  const { sequence, table, rowId, rowHash, chainHash, hashNow } = link
  if (sequence !== expected) return { what: 'link_missing', sequence: expected, table: null, rowId: null }
  const at = { sequence, table, rowId }
  if (!chainHashOf(before, rowHash).equals(chainHash)) return { what: 'link_changed', ...at }
  if (hashNow === null) return { what: 'row_missing', ...at }
  return hashNow.equals(rowHash) ? null : { what: 'row_changed', ...at }
}

async function isInChain(db: Db, head: string): Promise<boolean> {
  if (Buffer.from(head, 'hex').equals(firstHash)) return true
  return (await db.query(selectHead, [Buffer.from(head, 'hex')])).length > 0
}

async function countUnsealed(db: Db): Promise<Verified['unsealed']> {
  const [counts] = await db.transaction(async (tx) => {
    await tx.query(allowLong, [String(statementMs)])
    return tx.query<Verified['unsealed']>(selectUnsealed, [])
  })
  return counts ?? { ledger_sets: 0, ledger_entries: 0, charges: 0, activity: 0 }
}

const statementMs = 600_000

const allowLong: Statement = { name: 'audit-prepare', text: `SELECT set_config('statement_timeout', $1, true)` }

// Whatever somebody has written into a link: what is no id finds no row.
const uuidIn = (table: AuditedTable) =>
  `CASE WHEN link.table_name = '${table}' AND link.row_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    THEN link.row_id::uuid END`
const numberIn = (table: AuditedTable) =>
  `CASE WHEN link.table_name = '${table}' AND link.row_id ~ '^[0-9]{1,18}$' THEN link.row_id::bigint END`

const selectLinks: Statement = {
  name: 'audit-links',
  text: `SELECT link.sequence, link.table_name AS table, link.row_id AS "rowId", link.row_hash AS "rowHash",
      link.chain_hash AS "chainHash", CASE
        WHEN s.id IS NOT NULL THEN audit_hash(s) WHEN e.id IS NOT NULL THEN audit_hash(e)
        WHEN c.id IS NOT NULL THEN audit_hash(c) WHEN a.id IS NOT NULL THEN audit_hash(a) END AS "hashNow"
    FROM (SELECT * FROM audit_chain WHERE sequence > $1 ORDER BY sequence LIMIT $2) link
    LEFT JOIN ledger_sets s ON s.id = ${uuidIn('ledger_sets')}
    LEFT JOIN ledger_entries e ON e.id = ${numberIn('ledger_entries')}
    LEFT JOIN charges c ON c.id = ${uuidIn('charges')}
    LEFT JOIN activity a ON a.id = ${numberIn('activity')}
    ORDER BY link.sequence`,
}

const selectHead: Statement = { name: 'audit-head', text: 'SELECT 1 FROM audit_chain WHERE chain_hash = $1' }

const unsealedOf = (table: AuditedTable, which = 'true') => `(SELECT count(*)::integer FROM ${table} r WHERE ${which}
  AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.table_name = '${table}' AND c.row_id = r.id::text)) AS ${table}`

const selectUnsealed: Statement = {
  name: 'audit-tail',
  answerMs: statementMs + 2_000,
  text: `SELECT ${unsealedOf('ledger_sets')}, ${unsealedOf('ledger_entries')}, ${unsealedOf('charges')},
    ${unsealedOf('activity', 'r.changes')}`,
}
