// POST /v1/payouts/{id}/cancel: cancels a payout that is pending and has not been submitted to the bank.

import { recordCancelRequest } from '../../db/payouts/events'
import { findOpenPayout } from '../../db/payouts/open'
import { findPayout, type PayoutRow } from '../../db/payouts/payouts'
import { nameOf } from '../../db/sign-in/callers'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { type ApiRequest, ok, post, type Reply, scopeOf } from '../http/route'
import { payoutChecks, requirePayout } from './lookups'
import { examplePayout, Payout, presentPayout } from './present'

export const cancelPayoutRoute = post('/v1/payouts/:id/cancel', 'cancelPayout', {
  // A cancel only stops a payment, so a suspended partner may cancel too.
  steps: [...payoutChecks('payout.cancel', { by: 'key', partner: 'any' }), cancelPayout],
  summary: 'Cancel a payout',
  description:
    'Works while a payout is pending and the bank does not have it. The money then returns to the wallet. Otherwise the response ' +
    'is 409 with the status in details.status, and the request has no effect: a payout is never cancelled after a 409. After 503 ' +
    'the outcome is not known yet: send the request again. If your first try cancelled the payout, you get 409 with the status `cancelled`.',
  reply: ok('The payout is cancelled.', Payout, { ...examplePayout, status: 'cancelled' }),
  errors: ['not_found', 'invalid_state'],
})

async function cancelPayout(request: ApiRequest<PayoutRow | null>, deps: ApiDeps): Promise<Reply> {
  const payout = requirePayout(request)
  if (payout.status !== 'pending') throw tooLate(payout.status)
  await request.recheckCaller()
  const outcome = await decide(request, payout, deps)
  const row = await rowOf(request, payout, deps)
  if (row.status === 'cancelled') return { body: presentPayout(row) }
  if (outcome === 'undecided' && row.status === 'pending') throw new ApiError('service_unavailable')
  throw tooLate(row.status)
}

/**
 * The payout's workflow decides, because only activities move money. A cancel that is too late is not forwarded to
 * the workflow.
 */
async function decide(
  { caller }: ApiRequest,
  { id: payoutId }: PayoutRow,
  { db, clock, workflows }: ApiDeps,
): Promise<'decided' | 'undecided'> {
  const open = await findOpenPayout(db, payoutId)
  if (open === null || open.isCalled) return 'decided'
  // Records the caller first, because a cancel may still succeed after its response is lost.
  const asked = { payoutId, at: clock.now(), madeBy: nameOf(caller) }
  await db.transaction((tx) => recordCancelRequest(tx, asked))
  return workflows.cancelPayout(open)
}

async function rowOf(request: ApiRequest, { id }: PayoutRow, { db }: ApiDeps): Promise<PayoutRow> {
  const row = await findPayout(db, scopeOf(request), id)
  if (row === null) throw new ApiError('not_found')
  return row
}

function tooLate(status: PayoutStatus): ApiError {
  return new ApiError('invalid_state', { details: { status } })
}
