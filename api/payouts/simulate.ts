// POST /v1/sandbox/payouts/{id}/simulate: chooses the outcome of a payout at the sandbox bank. The payout's status then
// changes in the usual way.
import { Type } from 'typebox'
import { recordActivity } from '../../db/controls/activity'
import { loadPayoutAtBank } from '../../db/payouts/details'
import type { PayoutRow } from '../../db/payouts/payouts'
import { nameOf } from '../../db/sign-in/callers'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { RailUnavailable } from '../../rail/rail'
import { bankReasons } from '../../rail/reasons'
import { type SimulatedOutcome, type Simulation, simulatedOutcomes } from '../../rail/simulated-bank'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, post, type Reply } from '../http/route'
import { Component, Constant, OneOf, Strict, Uuid } from '../http/schema'
import { payoutChecks, requirePayout } from './lookups'

const Outcome = (outcomes: readonly SimulatedOutcome[]) =>
  OneOf(outcomes, {
    description:
      'settle: the payout is delivered. fail: it cannot be delivered. return: it is delivered and then returned. stall: the bank holds it until the next simulated outcome.',
  })
const reason = Type.Optional(
  OneOf(bankReasons, {
    description: 'For `fail` and `return`: the reason, which becomes the code at the start of failure_reason.',
  }),
)
const takesReason = (outcome: SimulatedOutcome) => outcome === 'fail' || outcome === 'return'

const SimulationRequest = Strict(
  { outcome: Outcome(simulatedOutcomes), reason },
  {
    title: 'SimulationRequest',
    'x-documented': {
      oneOf: [
        Strict({ outcome: Outcome(simulatedOutcomes.filter(takesReason)), reason }),
        Strict({ outcome: Outcome(simulatedOutcomes.filter((outcome) => !takesReason(outcome))) }),
      ],
    },
  },
)

const Simulated = Component('Simulation', {
  object: Constant('simulation'),
  payout_id: Uuid(),
  outcome: OneOf(simulatedOutcomes),
})

/** The statuses in which an outcome can be simulated. The bank decides whether the transfer still allows it. */
const possibleFrom: Readonly<Record<SimulatedOutcome, readonly PayoutStatus[]>> = {
  settle: ['processing'],
  fail: ['processing'],
  return: ['processing', 'completed'],
  stall: ['processing'],
}

export const simulatePayoutRoute = post('/v1/sandbox/payouts/:id/simulate', 'simulatePayout', {
  steps: [
    ...payoutChecks('payout.simulate', { by: 'key', partner: 'active' }, { body: SimulationRequest }),
    simulatePayout,
  ],
  summary: 'Simulate a payout outcome',
  description:
    'For sandbox keys, and for admins in the sandbox. The payout changes shortly after the sandbox bank. Read it as you would in ' +
    'live. The response is 409 when the outcome is no longer possible, and 403 for a live payout.',
  bodyExample: { outcome: 'fail', reason: 'account_closed' },
  reply: {
    status: 202,
    description: 'The sandbox bank has accepted the outcome.',
    schema: Simulated,
    example: { object: 'simulation', payout_id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56', outcome: 'fail' },
  },
  errors: ['api_key_required', 'not_found', 'invalid_state', 'provider_unavailable'],
})

async function simulatePayout(request: ApiRequest<PayoutRow | null>, deps: ApiDeps): Promise<Reply> {
  const { caller, requestId } = request
  if (caller.environment === 'live') {
    throw new ApiError('api_key_required', { message: 'Only sandbox payouts can be simulated.' })
  }
  const payout = requirePayout(request)
  const { outcome, reason } = bodyOf<typeof SimulationRequest>(request)
  if (reason !== undefined && !takesReason(outcome)) {
    throw new ApiError('invalid_request', { details: { errors: ['reason (only with fail and return)'] } })
  }
  await request.recheckCaller()
  await simulate(payout, { outcome, reason: reason ?? null }, deps)
  const entry = { partnerId: caller.partner.id, at: deps.clock.now(), environment: caller.environment, requestId }
  const made = { action: 'payout.simulate', changes: 'something', status: 202, madeBy: nameOf(caller) } as const
  await recordActivity(deps.db, [{ ...entry, ...made, detail: `${outcome} of ${payout.id}` }])
  return { status: 202, body: { object: 'simulation', payout_id: payout.id, outcome }, activity: 'written' }
}

async function simulate(payout: PayoutRow, wanted: Omit<Simulation, 'transferRef'>, deps: ApiDeps): Promise<void> {
  const { outcome } = wanted
  const impossible = (message: string) => new ApiError('invalid_state', { message, details: { status: payout.status } })
  if (!possibleFrom[outcome].includes(payout.status)) {
    throw impossible(`A payout that is ${payout.status} cannot ${outcome}.`)
  }
  const { rail, transferRef } = await loadPayoutAtBank(deps.db, payout.id)
  if (rail === 'simulated')
    throw impossible('This payout was created before the sandbox had a bank, so its outcome cannot be chosen.')
  if (transferRef === null) throw impossible('The sandbox bank does not have this payout.')
  if (deps.sandboxBank === null)
    throw impossible('This sandbox is run by a real bank, which does not support simulated outcomes.')
  const moved = await deps.sandboxBank.simulate({ ...wanted, transferRef }).catch(asAway)
  if (moved === 'too_late') throw impossible(`It is too late to ${outcome} this payout. Read it again.`)
}

function asAway(error: unknown): never {
  if (error instanceof RailUnavailable) throw new ApiError('provider_unavailable')
  throw error
}
