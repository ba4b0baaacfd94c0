// GET /v1/payouts/{id}/events: the timeline of a payout, without internal steps.
import { Type } from 'typebox'
import { loadTimeline, type Timeline, type TimelineEvent } from '../../db/payouts/details'
import type { PayoutRow } from '../../db/payouts/payouts'
import { withoutOperators } from '../../db/sign-in/callers'
import { formatUsdcExactly } from '../../domain/money'
import { payoutStatuses } from '../../domain/payouts/payout'
import type { ApiDeps } from '../deps'
import { listShape, presentList } from '../http/list'
import { type ApiRequest, get, type Reply } from '../http/route'
import { Component, DateTime, Nullable, OneOf } from '../http/schema'
import { payoutChecks, requirePayout } from './lookups'

const eventNames = [
  'requested',
  'debited',
  'sent',
  'unconfirmed',
  'completed',
  'failed',
  'cancelled',
  'returned',
  'refunded',
  'case_opened',
  'case_resolved',
] as const
type EventName = (typeof eventNames)[number]

const PayoutEvent = Component('PayoutEvent', {
  at: DateTime(),
  event: OneOf(eventNames, {
    description:
      'debited: the money left the wallet. sent: the bank has the payout. unconfirmed: the bank’s answer was lost, and we ' +
      'retry. refunded: the money is back in the wallet. case_opened, case_resolved: a recall or trace.',
  }),
  status: OneOf(payoutStatuses, { description: 'The status of the payout after the event.' }),
  by: Type.String({ description: 'The actor: an API key, a person, `bank`, or `service` (us).' }),
  detail: Nullable(
    Type.String({ description: 'The amount that moved, the reason for a failure, or the case and its outcome.' }),
  ),
})

export const listPayoutEventsRoute = get('/v1/payouts/:id/events', 'listPayoutEvents', {
  steps: [...payoutChecks('payout.events', { by: 'key', partner: 'any' }), listPayoutEvents],
  summary: 'List payout events',
  description: 'The history of the payout, oldest first. It says what happened, when, and who did it.',
  reply: listShape('The timeline.', PayoutEvent, [
    { at: '2026-11-16T09:30:00.000Z', event: 'requested', status: 'pending', by: 'ada@acme.test', detail: null },
    { at: '2026-11-16T09:30:00.020Z', event: 'debited', status: 'pending', by: 'service', detail: '153.30 USDC' },
    { at: '2026-11-16T09:30:00.180Z', event: 'sent', status: 'processing', by: 'bank', detail: null },
    { at: '2026-11-16T09:31:00.000Z', event: 'completed', status: 'completed', by: 'bank', detail: null },
  ]),
  errors: ['not_found'],
})

async function listPayoutEvents(request: ApiRequest<PayoutRow | null>, { db }: ApiDeps): Promise<Reply> {
  const { id } = requirePayout(request)
  return { body: presentList(presentTimeline(await loadTimeline(db, id))) }
}

/**
 * Sorts by cause instead of time, because the clocks of two machines may differ. The debit comes second and the refund
 * last.
 */
function presentTimeline({ events, money }: Timeline): unknown[] {
  const end = events.findIndex(({ kind }) => kind === 'cancelled')
  const canceller = events.slice(0, end + 1).findLast(({ kind }) => kind === 'cancel_asked')?.madeBy ?? 'service'
  const [requested, ...others] = events.flatMap((event) =>
    presentEvent(event.kind === 'cancelled' ? { ...event, madeBy: canceller } : event),
  )
  const last = others.at(-1) ?? requested
  const moved = money.map(({ at, amountMicroUsdc }) => {
    const out = amountMicroUsdc < 0n
    const sum = formatUsdcExactly(out ? -amountMicroUsdc : amountMicroUsdc)
    const status = out ? 'pending' : last?.status
    return { at: at.toISOString(), event: out ? 'debited' : 'refunded', status, by: 'service', detail: `${sum} USDC` }
  })
  const debited = moved.filter(({ event }) => event === 'debited')
  const refunded = moved.filter(({ event }) => event === 'refunded')
  return [...(requested === undefined ? [] : [requested]), ...debited, ...others, ...refunded]
}

function presentEvent({ at, kind, status, madeBy, detail }: TimelineEvent) {
  const event = eventNames.find((name) => name === kind)
  if (event === undefined) return []
  return [{ at: at.toISOString(), event, status, by: byWhom(event, madeBy, detail), detail }]
}

/** Names our service for events that happened without the bank, such as a failure before the payout was sent. */
function byWhom(event: EventName, madeBy: string, detail: string | null): string {
  const isOurs = event === 'unconfirmed' || /^(insufficient_funds|not_sent):/.test(detail ?? '')
  return isOurs ? 'service' : withoutOperators(madeBy)
}
