// Notes that nobody knows whether a payout was sent, which is itself a thing to know (design §3: "Unknown").
import type { Queryable } from '../../db/database'
import { keepPayout, loadStep } from '../../db/payouts/steps'
import { kept } from '../../domain/payouts/verdict'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import { standingOf } from './standing'

interface Noting extends Pick<PayoutDeps, 'clock'> {
  readonly db: Queryable
}

/**
 * A call was made whose outcome this run does not know. The row is told before anybody is answered and before the call is
 * repeated: from then on the run that made the first call can no longer prove by it that nothing was sent.
 */
export async function noteUnknown({ db, clock }: Noting, payout: PayoutRef): Promise<Underway> {
  const { payoutId, attempt } = payout
  const nothing = { failureReason: null, transferRef: null, transferState: null }
  const at = clock.now()
  await keepPayout(db, {
    payoutId,
    attempt,
    verdict: 'unknown',
    status: 'pending',
    ...nothing,
    event: 'unconfirmed',
    afterwards: 'open',
    at,
  })
  return standingOf(await loadStep(db, payoutId), payout) ?? withdrawn
}

/** The run that made the call has since proved that it sent nothing. */
const withdrawn: Underway = { at: 'unsent', verdict: kept, status: 'pending', says: 'waiting to be sent' }
