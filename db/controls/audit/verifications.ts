// What each regular verifying of the audit chain has found: the head to hold the next one against, and whether a fault is news.

import type { Db, Queryable, Tx } from '../../database'
import { newId } from '../../id'
import { type FirstFault, type Verified, verifyAudit } from './verify'

/** Held against the head of the last time that the chain held, so that a chain which was made anew since then is noticed. */
export async function verifySinceLast(db: Db): Promise<Verified> {
  const [last] = await db.sql<{
    head: Buffer
  }>`SELECT head FROM audit_verifications WHERE fault IS NULL ORDER BY verified_at DESC LIMIT 1`
  return verifyAudit(db, last?.head.toString('hex') ?? null)
}

/** A fault is news unless the verifying before has found the same. */
export async function recordVerification(
  tx: Tx,
  { links, head, fault }: Verified,
  at: Date,
): Promise<'news' | 'no_news'> {
  const before = await lastFault(tx)
  const { what = null, sequence = null, table = null, rowId = null } = fault ?? {}
  await tx.sql`INSERT INTO audit_verifications (id, verified_at, links, head, fault, sequence, table_name, row_id)
    VALUES (${newId(at)}, ${at}, ${links}, ${Buffer.from(head, 'hex')}, ${what}, ${sequence}, ${table}, ${rowId})`
  return fault === null || isSame(fault, before) ? 'no_news' : 'news'
}

/** Not by its link: a head is missed behind the last one, of which there are more each time. */
function isSame(fault: FirstFault, other: LastFault | null): boolean {
  return fault.what === other?.what && fault.table === other.table && fault.rowId === other.rowId
}

type LastFault = Pick<FirstFault, 'table' | 'rowId'> & { readonly what: FirstFault['what'] | null }

async function lastFault(db: Queryable): Promise<LastFault | null> {
  const [last] = await db.sql<LastFault>`SELECT fault AS what, table_name AS table, row_id FROM audit_verifications
    ORDER BY verified_at DESC LIMIT 1`
  return last ?? null
}
