// The life of one attempt to pay: set aside, send, answer, wait for the bank, settle. The row decides; a run only asks it (design §3).
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  patched,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Verdict } from '../domain/verdict'
import * as activities from './activities'
import { requireFields } from './input'
import { payoutSearchAttributes } from './names'
import type { Cancelled, PayoutRef, Underway } from './payout-steps'

export interface PayoutOrder extends PayoutRef {
  /** How long to wait before the bank is asked again: the first time, the second …, and from then on as the last. */
  readonly pollMs: readonly number[]
}

export const create = defineUpdate<Verdict>('create')
/** Ends when it is decided whether the payout was cancelled or had been sent; which of the two, the row knows. */
export const cancel = defineUpdate('cancel')
/** The bank has said something about this payout's transfer; what it said is asked for. */
export const bankSpoke = defineSignal('bankSpoke')

/** Longer histories are started afresh: the row knows where the payout stands. */
const longHistory = 1_000

export async function payout(order: PayoutOrder): Promise<void> {
  requireFields(order, { payoutId: 'id', attempt: 'count', pollMs: 'pauses' })
  let verdict: Verdict | undefined
  let spoke = false
  let cancelled: Cancelled | null = null
  let unsent = true
  let shown: Underway['status'] = 'pending'
  setHandler(create, () => uncancelled(async () => answered(() => verdict)))
  setHandler(cancel, () => {
    cancelled ??= 'by update'
    spoke = true
    return uncancelled(async () => condition(() => !unsent))
  })
  setHandler(bankSpoke, () => {
    spoke = true
  })
  CancellationScope.current().cancelRequested.catch(() => {
    cancelled ??= 'in Temporal'
    // Runs of the first releases slept on until their next look at the bank.
    if (patched('cancel-wakes')) spoke = true
  })

  await uncancelled(async () => {
    let step = await begin(order, () => cancelled)
    for (let asked = 0; ; asked++) {
      verdict = step.verdict
      unsent = step.at === 'unsent'
      setCurrentDetails(`Payout ${order.payoutId}: ${step.says}.`)
      if (step.status !== shown) upsertSearchAttributes([{ key: payoutSearchAttributes.status, value: step.status }])
      shown = step.status
      if (step.at === 'over') break
      if (workflowInfo().historyLength > longHistory && allHandlersFinished()) await continueAsNew<typeof payout>(order)
      await condition(() => spoke, pauseMs(order, asked))
      spoke = false
      step = await next(order, step, () => cancelled)
    }
    await condition(allHandlersFinished)
  })
}

async function begin(order: PayoutOrder, cancelled: () => Cancelled | null): Promise<Underway> {
  const step = await activities.debitPayout(order)
  if (step.at !== 'held') return step
  return send(order, cancelled)
}

/** The only place where a cancel counts: from the first call to the bank on, the money is on its way. */
function send(order: PayoutOrder, cancelled: () => Cancelled | null): Promise<Underway> {
  const how = cancelled()
  return how === null ? activities.submitToRail(order) : activities.cancelPayout({ ...order, how })
}

/** The bank may have had it for long when that becomes known, so how it stands is asked in the same breath. */
async function next(order: PayoutOrder, { at }: Underway, cancelled: () => Cancelled | null): Promise<Underway> {
  if (at === 'unsent') return send(order, cancelled)
  const resolved = at === 'unknown' ? await activities.resolveSubmit(order) : null
  return resolved === null || resolved.at === 'sent' ? activities.pollSettlement(order) : resolved
}

function pauseMs({ pollMs }: PayoutOrder, asked: number): number {
  return pollMs[Math.min(asked, pollMs.length - 1)] ?? 60_000
}

async function answered(verdict: () => Verdict | undefined): Promise<Verdict> {
  await condition(() => verdict() !== undefined)
  const given = verdict()
  if (given === undefined) throw new Error('a condition that holds must hold')
  return given
}

/** A cancel from outside would otherwise break off what moves money, and the answer to who waits for it. */
function uncancelled<T>(work: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(work)
}
