// Where a payout's row says that it stands, for a run that resumes, repeats or comes too late.
import type { StepRow } from '../../db/payouts/steps'
import { isRefusal, kept, refused, type Verdict } from '../../domain/payouts/verdict'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'

/** Null when nothing has been sent and nothing decided: the attempt goes on from its beginning. */
export function standingOf(row: StepRow, { attempt }: PayoutRef): Underway | null {
  // An attempt that was claimed again is over for whoever still runs the old one: the row belongs to the new one.
  if (row.attempt !== attempt) return over('refused', 'superseded', refused('payout_not_created'))
  if (row.releasedAt !== null) return over('refused', 'refused', refusalOf(row))
  if (row.closedAt !== null) return over(row.status)
  if (row.transferRef !== null) return { at: 'sent', verdict: kept, status: row.status, says: 'sent to the bank' }
  if (row.submitStartedAt !== null) return unconfirmed
  return null
}

export const unconfirmed: Underway = {
  at: 'unknown',
  verdict: kept,
  status: 'pending',
  says: 'the bank has not confirmed it',
}

export function over(status: Underway['status'], says: string = status, verdict: Verdict = kept): Underway {
  return { at: 'over', verdict, status, says }
}

function refusalOf({ verdict, verdictDetails }: StepRow): Verdict {
  return refused(verdict !== null && isRefusal(verdict) ? verdict : 'payout_not_created', verdictDetails)
}
