// I9: the audit chain is valid from its first link, and contains every row once the sealer has run.

import { sealRows } from '../../db/controls/audit/seal'
import { type Verified, verifyAudit } from '../../db/controls/audit/verify'
import type { Db } from '../../db/database'
import { systemClock } from '../../runtime/clock'
import { until } from '../support/until'

const atOnce = 5_000

export async function auditRules(db: Db, withinMs: number): Promise<string[]> {
  const { fault, unsealed } = await verifySealed(db, withinMs)
  const broken = fault ? [`I9 ${fault.what} at link ${fault.sequence}: ${fault.table} ${fault.rowId}`] : []
  const left = Object.entries(unsealed).filter(([, count]) => count > 0)
  return [...broken, ...left.map(([table, count]) => `I9 ${count} rows of ${table} are not sealed`)]
}

/** Waits until everything is sealed, because a running transaction can delay the sealer. */
async function verifySealed(db: Db, withinMs: number): Promise<Verified> {
  const seal = async () =>
    (await db.transaction((tx) => sealRows(tx, { at: systemClock.now(), limit: atOnce })))?.rows ?? 0
  let verified: Verified | null = null
  const isDecided = async () => {
    for (let sealed = atOnce; sealed > 0; ) sealed = await seal()
    verified = await verifyAudit(db)
    return verified.fault !== null || Object.values(verified.unsealed).every((count) => count === 0)
  }
  await until('everything is sealed', isDecided, withinMs).catch(unlessKnown)
  return unlessKnown(null)

  function unlessKnown(error: unknown): Verified {
    if (verified === null) throw error
    return verified
  }
}
