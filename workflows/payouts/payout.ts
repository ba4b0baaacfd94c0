// One attempt to pay: debit, send, answer the caller, wait for the bank, settle, charge. The row decides every step.
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
import type { PayoutStatus, Verdict } from '../../domain/payouts/payout'
import { requireFields } from '../input'
import { payoutSearchAttributes } from '../names'
import { localActivities, regularActivities } from '../proxies'

export interface PayoutRef {
  readonly payoutId: string
  readonly attempt: number
}

export interface PayoutOrder extends PayoutRef {
  /** Poll intervals: before the first poll, the second, and so on. The last one repeats. */
  readonly pollMs: readonly number[]
}

export type Step = Held | Underway

/** The wallet is debited and the bank has not been called. */
interface Held {
  readonly at: 'held'
}

/** All of this is in the workflow history, so it holds IDs, amounts and codes only. */
export interface Underway {
  /**
   * `unsent`: the payout is acknowledged, and the bank could not be called yet. `unknown`: the bank may have
   * the transfer. `sent`: the bank has the transfer. `settled`: the bank has delivered it, and it is not charged
   * yet. `over`: nothing is left to do.
   */
  readonly at: 'unsent' | 'unknown' | 'sent' | 'settled' | 'over'
  /** Unsent for so long that `resolveSubmit` must read the bank's list before a call or a refund. */
  readonly needsLookup?: true
  readonly verdict: Verdict
  /** The row's status, as a search attribute; `refused` when no payout was created. */
  readonly status: PayoutStatus | 'refused'
  /** A short description for the Web UI. */
  readonly says: string
  /** Why the last call to the bank did not succeed, such as `HTTP 500` or `timeout`. Absent if it did or if none was made. */
  readonly bank?: string
}

/** `by update`: by our API, which has recorded the actor. `in Temporal`: in the Web UI, by an unknown actor. */
export type Cancelled = 'by update' | 'in Temporal'

export interface PayoutActivities {
  /** Debits the wallet once. In a resumed run it returns the row's status instead. */
  debitPayout(payout: PayoutRef): Promise<Step>
  /** Registers the recipient and sends the transfer, within a second or two. */
  submitToRail(payout: PayoutRef): Promise<Underway>
  /** Succeeds if no call to the bank has started. With `needsLookup`, `resolveSubmit` has to decide. */
  cancelPayout(payout: PayoutRef & { readonly how?: Cancelled }): Promise<Underway>
  /** Repeats the identical call, then looks it up. With `cancel` it decides the cancel and sends nothing. */
  resolveSubmit(payout: PayoutRef & { readonly cancel?: Cancelled }): Promise<Underway>
  /** Asks the bank for the transfer's status and books it. */
  pollSettlement(payout: PayoutRef): Promise<Underway>
  /** Charges a completed payout, once, and closes it. */
  chargePayout(payout: PayoutRef): Promise<Underway>
}

/**
 * A caller waits for these, so they run inside the workflow task: a payout then costs no other task. Each
 * limits its own calls to the bank to far less than this timeout.
 */
const { debitPayout, submitToRail, cancelPayout } = localActivities<
  Pick<PayoutActivities, 'debitPayout' | 'submitToRail' | 'cancelPayout'>
>('8 seconds', { first: '100 ms', longest: '1 minute' })

/** No caller waits for them, so calls to the bank may take longer. This timeout must exceed them. */
const { pollSettlement, chargePayout } = localActivities<Pick<PayoutActivities, 'pollSettlement' | 'chargePayout'>>(
  '30 seconds',
  {
    first: '100 ms',
    longest: '1 minute',
  },
)

/** A regular activity: the bank may not answer, and a busy partner's list of a day takes minutes to read. */
const { resolveSubmit } = regularActivities<Pick<PayoutActivities, 'resolveSubmit'>>('15 minutes', {
  first: '1 second',
  longest: '1 minute',
})

const create = defineUpdate<Verdict>('create')
/** Completes when the row has decided between cancelled and sent. The caller reads the outcome in the row. */
const cancel = defineUpdate('cancel')
/** The bank has reported something about this payout's transfer. The workflow asks the bank for it. */
export const bankSpoke = defineSignal('bankSpoke')

/** Runs that began earlier decided a cancel by their own last step, which could be older than the row. */
const asksTheRow = 'cancel-asks-the-row'

/** A longer history continues as a new run. The row has the payout's status. */
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
    // Runs of the first releases slept until their next poll.
    if (patched('cancel-wakes')) spoke = true
  })

  await uncancelled(async () => {
    let step = await begin(order, cancels)
    for (let asked = 0; ; asked++) {
      show(step)
      if (step.at === 'over') break
      if (step.at === 'settled') {
        step = await chargePayout(order)
        continue
      }
      const isAtRest = allHandlersFinished() && !cancels.arePending()
      if (workflowInfo().historyLength > longHistory && isAtRest) await continueAsNew<typeof payout>(order)
      step = (await pause(step, asked)) ?? (await next(order, step, cancels))
    }
    await condition(allHandlersFinished)
  })

  function show(step: Underway): void {
    verdict = step.verdict
    unsent = step.at === 'unsent'
    if (step.at === 'sent' || step.at === 'settled' || step.at === 'over') cancels.decideAll()
    setCurrentDetails(`Payout ${order.payoutId}: ${step.says}.`)
    if (step.status !== shown) upsertSearchAttributes([{ key: payoutSearchAttributes.status, value: step.status }])
    shown = step.status
  }

  /** Waits for the signal or the next poll. A successful cancel ends the wait. A refused one does not. */
  async function pause(step: Underway, asked: number): Promise<Underway | null> {
    const until = Date.now() + pauseMs(order, asked)
    for (let leftMs = pauseMs(order, asked); leftMs > 0; leftMs = until - Date.now()) {
      await condition(() => spoke || cancels.arePending(), leftMs)
      if (!cancels.arePending()) break
      const decided = await decideCancel(order, cancels)
      if (decided.at === 'over' || decided.at === 'settled') return decided
      if (decided.at === 'sent' && step.at !== 'sent') return decided
    }
    spoke = false
    return null
  }
}

type Cancels = ReturnType<typeof createCancels>

/** Counts the requests to cancel this payout, and those that the row has decided. */
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
    /** For runs that began before cancels asked the row: it counts only when the workflow is about to send. */
    addBefore(how: Cancelled): void {
      before ??= how
    },
    before: () => before,
    arePending: () => asked > decided,
    isDecided: (request: number) => decided >= request,
    decideAll(): void {
      decided = asked
    },
    /** Decides the requests made before the row is asked. A later request asks again. */
    async decide<T>(ask: (how: Cancelled) => Promise<T>): Promise<T> {
      const request = asked
      const answer = await ask(latest)
      decided = Math.max(decided, request)
      return answer
    },
  }
}

async function begin(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  const step = await debitPayout(order)
  if (step.at !== 'held') return step
  return send(order, cancels)
}

/** The row decides between cancel and submit, so a cancel before the first call to the bank asks the row. */
async function send(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  const before = cancels.before()
  if (before !== null) return cancelPayout({ ...order, how: before })
  return cancels.arePending() ? decideCancel(order, cancels) : submitToRail(order)
}

function decideCancel(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  return cancels.decide(async (how) => {
    const step = await cancelPayout({ ...order, how })
    return step.needsLookup ? resolveSubmit({ ...order, cancel: how }) : step
  })
}

/** A transfer that is found may have been at the bank for a long time, so its status is polled at once. */
async function next(order: PayoutOrder, step: Underway, cancels: Cancels): Promise<Underway> {
  if (step.at === 'unsent' && !step.needsLookup) return send(order, cancels)
  const resolved = step.at === 'sent' ? null : await resolveSubmit(order)
  return resolved === null || resolved.at === 'sent' ? pollSettlement(order) : resolved
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

/** A cancel in Temporal must not interrupt the code that moves money, or the answer to the caller. */
function uncancelled<T>(work: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(work)
}
