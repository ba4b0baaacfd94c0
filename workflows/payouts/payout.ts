// One attempt to pay: set the money aside, send, answer, wait for the bank, settle. The payout's row decides; a run only asks it.
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
import type { Verdict } from '../../domain/payouts/verdict'
import * as activities from '../activities'
import { requireFields } from '../input'
import { payoutSearchAttributes } from '../names'
import type { Cancelled, PayoutRef, Underway } from './steps'

export interface PayoutOrder extends PayoutRef {
  /** How long to wait before the bank is asked again: the first time, the second …, and from then on as the last. */
  readonly pollMs: readonly number[]
}

export const create = defineUpdate<Verdict>('create')
/** Ends when it is decided whether the payout was cancelled or had been sent; which of the two, the row knows. */
export const cancel = defineUpdate('cancel')
/** The bank has said something about this payout's transfer; what it said is asked for. */
export const bankSpoke = defineSignal('bankSpoke')

/** Runs that began earlier decided a cancel by their own last step, which could be older than the row. */
const asksTheRow = 'cancel-asks-the-row'

/** A longer history continues as a new run: the row says where the payout stands. */
const longHistory = 1_000

export async function payout(order: PayoutOrder): Promise<void> {
  requireFields(order, { payoutId: 'id', attempt: 'count', pollMs: 'pauses' })
  let verdict: Verdict | undefined
  let spoke = false
  let unsent = true
  let shown: Underway['status'] = 'pending'
  const cancels = createCancels()
  setHandler(create, () => uncancelled(async () => answered(() => verdict)))
  setHandler(cancel, () => {
    if (!patched(asksTheRow)) {
      cancels.addBefore('by update')
      spoke = true
      return uncancelled(async () => condition(() => !unsent))
    }
    const request = cancels.add('by update')
    return uncancelled(async () => condition(() => cancels.isDecided(request)))
  })
  setHandler(bankSpoke, () => {
    spoke = true
  })
  CancellationScope.current().cancelRequested.catch(() => {
    if (patched(asksTheRow)) {
      cancels.add('in Temporal')
      return
    }
    cancels.addBefore('in Temporal')
    // Runs of the first releases slept on until their next look at the bank.
    if (patched('cancel-wakes')) spoke = true
  })

  await uncancelled(async () => {
    let step = await begin(order, cancels)
    for (let asked = 0; ; asked++) {
      show(step)
      if (step.at === 'over') break
      const isAtRest = allHandlersFinished() && !cancels.arePending()
      if (workflowInfo().historyLength > longHistory && isAtRest) await continueAsNew<typeof payout>(order)
      step = (await pause(step, asked)) ?? (await next(order, step, cancels))
    }
    await condition(allHandlersFinished)
  })

  function show(step: Underway): void {
    verdict = step.verdict
    unsent = step.at === 'unsent'
    if (step.at === 'sent' || step.at === 'over') cancels.decideAll()
    setCurrentDetails(`Payout ${order.payoutId}: ${step.says}.`)
    if (step.status !== shown) upsertSearchAttributes([{ key: payoutSearchAttributes.status, value: step.status }])
    shown = step.status
  }

  /**
   * Waits for the bank, or for the next poll. A cancel that wins ends the wait with its step. One that is refused does not: it
   * changes nothing about what happens next, or when.
   */
  async function pause(step: Underway, asked: number): Promise<Underway | null> {
    const until = Date.now() + pauseMs(order, asked)
    for (let leftMs = pauseMs(order, asked); leftMs > 0; leftMs = until - Date.now()) {
      await condition(() => spoke || cancels.arePending(), leftMs)
      if (!cancels.arePending()) break
      const decided = await decideCancel(order, cancels)
      if (decided.at === 'over' || (decided.at === 'sent' && step.at !== 'sent')) return decided
    }
    spoke = false
    return null
  }
}

type Cancels = ReturnType<typeof createCancels>

/** The requests to cancel this payout, and which of them the row has decided. */
function createCancels() {
  let asked = 0
  let decided = 0
  let latest: Cancelled = 'by update'
  let before: Cancelled | null = null
  return {
    add(how: Cancelled): number {
      latest = how
      asked += 1
      return asked
    },
    /** A cancel of a run that began before cancels asked the row: it counts only where the workflow is about to send. */
    addBefore(how: Cancelled): void {
      before ??= how
    },
    before: () => before,
    arePending: () => asked > decided,
    isDecided: (request: number) => decided >= request,
    decideAll(): void {
      decided = asked
    },
    /** Decides those that are there when the row is asked; one that comes later asks again. */
    async decide<T>(ask: (how: Cancelled) => Promise<T>): Promise<T> {
      const request = asked
      const answer = await ask(latest)
      decided = Math.max(decided, request)
      return answer
    },
  }
}

async function begin(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  const step = await activities.debitPayout(order)
  if (step.at !== 'held') return step
  return send(order, cancels)
}

/** A cancel before the first call to the bank asks the row, which has the last word between cancel and submit. */
async function send(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  const before = cancels.before()
  if (before !== null) return activities.cancelPayout({ ...order, how: before })
  return cancels.arePending() ? decideCancel(order, cancels) : activities.submitToRail(order)
}

function decideCancel(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  return cancels.decide(async (how) => {
    const step = await activities.cancelPayout({ ...order, how })
    return step.needsLookup ? activities.resolveSubmit({ ...order, cancel: how }) : step
  })
}

/** The bank may have had it for long when that becomes known, so its status is polled at once. */
async function next(order: PayoutOrder, step: Underway, cancels: Cancels): Promise<Underway> {
  if (step.at === 'unsent' && !step.needsLookup) return send(order, cancels)
  const resolved = step.at === 'sent' ? null : await activities.resolveSubmit(order)
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

/** A cancel from outside would otherwise interrupt the code that moves money, and the answer to its caller. */
function uncancelled<T>(work: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(work)
}
