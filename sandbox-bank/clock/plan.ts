// Plans a transfer's next state and its time, on the usual path or on the path that a fault causes.
import type { Subject } from '../control/faults'
import type { Moment } from '../http/call'
import type { Delays } from '../settings'
import type { NextMove, Transfer } from '../storage/records'

/** Null if the transfer stays in its state. */
export function planNext(moment: Moment, transfer: Transfer, subject: Subject): NextMove | null {
  const { bank, now } = moment
  const { state } = transfer
  const at = now + (isTimed(state) ? bank.delaysMs[state] : 0)

  const stuck = bank.faults.take(['stuck'], subject)
  if (stuck) return stuck.state === state ? null : { state: stuck.state ?? 'error', at, reason: null, last: 'yes' }
  const bounced = isTimed(state) && bank.faults.take(['undeliverable'], subject)
  if (bounced) return { state: 'undeliverable', at, reason: bounced.reason, last: 'no' }
  const returned = state === 'payment_processed' ? bank.faults.take(['return'], subject) : null
  if (returned) return { state: 'returned', at: now + (returned.ms ?? 0), reason: returned.reason, last: 'no' }

  const usual = usualNext(bank.delaysMs, state)
  if (usual === 'refunded') return planRefund(moment, subject, at)
  return usual === null ? null : { state: usual, at, reason: null, last: 'no' }
}

export function usualNext(delaysMs: Delays, state: string): string | null {
  if (state === 'pending') return delaysMs.in_review > 0 ? 'in_review' : 'funds_received'
  return usual[state] ?? null
}

const usual: Readonly<Record<string, string>> = {
  in_review: 'funds_received',
  funds_received: 'payment_submitted',
  payment_submitted: 'payment_processed',
  undeliverable: 'refunded',
  returned: 'refund_in_flight',
  refund_in_flight: 'refunded',
}

function planRefund({ bank, now }: Moment, subject: Subject, at: number): NextMove {
  if (bank.faults.take(['refund_failed'], subject)) return { state: 'refund_failed', at, reason: null, last: 'yes' }
  const delay = bank.faults.take(['refund_delay'], subject)
  return { state: 'refunded', at: delay?.ms ? now + delay.ms : at, reason: null, last: 'no' }
}

function isTimed(state: string): state is keyof Delays {
  const timed: Record<keyof Delays, true> = {
    pending: true,
    in_review: true,
    funds_received: true,
    payment_submitted: true,
    undeliverable: true,
    returned: true,
    refund_in_flight: true,
  }
  return Object.hasOwn(timed, state)
}
