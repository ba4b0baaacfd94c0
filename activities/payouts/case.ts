// Reads the status of a recall or trace, and reports an overdue one to operators once.

import type { Db } from '../../db/database'
import { findCase, type LateCase, markLate, markOneLate } from '../../db/payouts/cases/cases'
import type { Clock } from '../../runtime/clock'
import type { Log } from '../../runtime/log'
import type { CaseProgress, CaseRef } from '../../workflows/payouts/case'

interface CaseDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
}

export async function lookAfterCase({ db, clock, log }: CaseDeps, { caseId }: CaseRef): Promise<CaseProgress> {
  const at = clock.now()
  const late = await markOneLate(db, caseId, at)
  if (late !== null) reportLate(log, late)
  const row = await findCase(db, caseId)
  if (row === null || row.resolvedAt !== null) return { at: 'over' }
  return { at: 'open', dueInMs: row.overdueAt === null ? row.dueAt.getTime() - at.getTime() : null }
}

/** Used by the sweep. Also reports cases whose workflow was never started or was lost. */
export async function reportLateCases({ db, clock, log }: CaseDeps, { limit }: { limit: number }): Promise<void> {
  for (const late of await markLate(db, { at: clock.now(), limit })) reportLate(log, late)
}

/** An overdue sandbox case is only a warning, because operators do not work on it. */
function reportLate(log: Log, { id, payoutId, environment, kind, dueAt }: LateCase): void {
  const about = { case_id: id, payout_id: payoutId, environment, kind, due_at: dueAt.toISOString() }
  log[environment === 'live' ? 'error' : 'warn'](about, 'case overdue; an operator has to ask the bank')
}
