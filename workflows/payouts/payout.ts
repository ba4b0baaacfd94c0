// One attempt to pay: debit, send, answer the caller, wait for the bank, settle, charge. The payout's row determines
// every step.
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
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
import { keyOf, payoutSearchAttributes, statusQuery } from '../names'
import { localActivities, regularActivities } from '../proxies'

export interface PayoutRef {
  readonly payoutId: string
  readonly attempt: number
}

export interface PayoutOrder extends PayoutRef {
  /** Poll intervals: before the first poll, the second, and so on. The last one repeats. */
  readonly pollMs: readonly number[]
  /** The amount debited from the wallet, such as "153.30 USDC". Only for the Web UI. */
  readonly sends?: string
}

/** The result that the Web UI shows. */
export interface PayoutResult {
  readonly status: Underway['status']
  /** The code of the failure reason if the payout failed, was refused or was returned. */
  readonly reason: string | null
}

/** The answer to the query `status`: IDs and codes, no personal data. */
export interface PayoutReport extends PayoutResult {
  readonly payoutId: string
  readonly attempt: number
  /** Null until the bank has a transfer. */
  readonly transferRef: string | null
  readonly waitsFor: string
  /** The time of the next poll, unless a signal or a cancel comes first. */
  readonly nextPollAt: string | null
  readonly lastBankError: string | null
}

export type Step = Held | Underway

/** The wallet is debited and the bank has not been called. */
interface Held {
  readonly at: 'held'
}

/** Contains IDs, amounts and codes only, because the workflow history stores it. */
export interface Underway {
  /**
   * `unsent`: the payout is acknowledged, and the bank could not be called yet. `unknown`: the bank may have
   * the transfer. `sent`: the bank has the transfer. `settled`: the bank has delivered it, and it is not charged
   * yet. `over`: nothing is left to do.
   */
  readonly at: 'unsent' | 'unknown' | 'sent' | 'settled' | 'over'
  /**
   * Set if the payout has been unsent for so long that `resolveSubmit` must read the bank's list before a call or a
   * refund.
   */
  readonly needsLookup?: true
  readonly verdict: Verdict
  /** The row's status, which is also a search attribute. `refused` if no payout was created. */
  readonly status: PayoutStatus | 'refused'
  /** A short description for the Web UI. */
  readonly says: string
  /**
   * The error from the last call to the bank, such as `HTTP 500` or `timeout`. Absent if it succeeded or none was made.
   */
  readonly bank?: string
  /** The code of the failure reason. */
  readonly reason?: string
  readonly transferRef?: string
}

/** `by update`: by our API, which has recorded the actor. `in Temporal`: in the Web UI, by an unknown actor. */
export type Cancelled = 'by update' | 'in Temporal'

export interface PayoutActivities {
  /** Debits the wallet once. In a resumed run it returns the row's status instead. */
  debitPayout(payout: PayoutRef): Promise<Step>
  /** Registers the recipient and sends the transfer, within a second or two. */
  submitToRail(payout: PayoutRef): Promise<Underway>
  /** Succeeds if no call to the bank has started. If it returns `needsLookup`, `resolveSubmit` must decide. */
  cancelPayout(payout: PayoutRef & { readonly how?: Cancelled }): Promise<Underway>
  /** Repeats the identical call, then looks up its transfer. With `cancel` it decides whether the payout is cancelled, and sends nothing. */
  resolveSubmit(payout: PayoutRef & { readonly cancel?: Cancelled }): Promise<Underway>
  /** Reads the transfer's status at the bank and books it. */
  pollSettlement(payout: PayoutRef): Promise<Underway>
  /** Charges a completed payout, once, and closes it. */
  chargePayout(payout: PayoutRef): Promise<Underway>
}

/**
 * A caller waits for these activities, so they run inside the workflow task, which avoids separate tasks. Their calls
 * to the bank have much shorter timeouts than the activities.
 */
const { debitPayout, submitToRail, cancelPayout } = localActivities<
  Pick<PayoutActivities, 'debitPayout' | 'submitToRail' | 'cancelPayout'>
>('8 seconds', { first: '100 ms', longest: '1 minute' })

/**
 * No caller waits for these activities, so a poll may wait longer for the bank. This timeout must exceed the
 * timeout of that call.
 */
const { pollSettlement, chargePayout } = localActivities<Pick<PayoutActivities, 'pollSettlement' | 'chargePayout'>>(
  '30 seconds',
  {
    first: '100 ms',
    longest: '1 minute',
  },
)

/** A regular activity: the bank may hang, and reading one day of a busy partner's transfers takes minutes. */
const { resolveSubmit } = regularActivities<Pick<PayoutActivities, 'resolveSubmit'>>('15 minutes', {
  first: '1 second',
  longest: '1 minute',
})

const report = defineQuery<PayoutReport>(statusQuery)
const create = defineUpdate<Verdict>('create')
/** Completes once the row shows whether the payout is cancelled or sent. The caller reads the outcome from the row. */
const cancel = defineUpdate('cancel')
/** The bank has sent an event about this payout's transfer. The workflow then polls the bank. */
export const bankSpoke = defineSignal('bankSpoke')

/** Older runs decide a cancel by their own last step. The row can be newer than that step. */
const asksTheRow = 'cancel-asks-the-row'

/** Older runs have no search attribute for the key. */
const showsItsKey = 'shows-its-key'

/** A workflow with a longer history continues as a new run. The row has the payout's status. */
const longHistory = 1_000

export async function payout(order: PayoutOrder): Promise<PayoutResult> {
  requireFields(order, { payoutId: 'id', attempt: 'count', pollMs: 'pauses' })
  let spoke = false
  let last: Underway | undefined
  let nextPollAt: Date | null = null
  const cancels = createCancels()
  setHandler(report, () => reportOf(order, last, nextPollAt), described.report)
  setHandler(create, () => uncancelled(async () => answered(() => last?.verdict)), described.create)
  setHandler(
    cancel,
    () => {
      if (!patched(asksTheRow)) {
        cancels.addBefore('by update')
        spoke = true
        return uncancelled(async () => condition(() => last !== undefined && last.at !== 'unsent'))
      }
      const request = cancels.add('by update')
      return uncancelled(async () => condition(() => cancels.isDecided(request)))
    },
    described.cancel,
  )
  setHandler(
    bankSpoke,
    () => {
      spoke = true
    },
    described.bankSpoke,
  )
  onCancelInTemporal(cancels, () => {
    spoke = true
  })

  return uncancelled(async () => {
    let step = await begin(order, cancels)
    for (let asked = 0; ; asked++) {
      show(step)
      if (step.at === 'over') break
      if (step.at === 'settled') {
        step = await chargePayout.executeWithOptions({ summary: step.says }, [order])
        continue
      }
      const isAtRest = allHandlersFinished() && !cancels.arePending()
      if (workflowInfo().historyLength > longHistory && isAtRest) await continueAsNew<typeof payout>(order)
      step = (await pause(step, asked)) ?? (await next(order, step, cancels, asked + 2))
    }
    await condition(allHandlersFinished)
    return { status: step.status, reason: step.reason ?? null }
  })

  function show(step: Underway): void {
    if (step.at === 'sent' || step.at === 'settled' || step.at === 'over') cancels.decideAll()
    setCurrentDetails(detailsOf(order, step))
    showAttributes(step, last)
    last = step
  }

  /** Waits for the signal or the next poll. A successful cancel ends the wait. A refused one does not. */
  async function pause(step: Underway, asked: number): Promise<Underway | null> {
    const until = Date.now() + pauseMs(order, asked)
    nextPollAt = new Date(until)
    for (let leftMs = pauseMs(order, asked); leftMs > 0; leftMs = until - Date.now()) {
      const summary = `${waitsFor(step)}; next poll in ${formatDuration(leftMs)}`
      await condition(() => spoke || cancels.arePending(), leftMs, { summary })
      if (!cancels.arePending()) break
      const decided = await decideCancel(order, cancels)
      if (decided.at === 'over' || decided.at === 'settled') return decided
      if (decided.at === 'sent' && step.at !== 'sent') return decided
    }
    spoke = false
    nextPollAt = null
    return null
  }
}

/**
 * Sets the key together with the status, which saves an upsert. If the payout is still pending after its first step,
 * the key needs a separate upsert.
 */
function showAttributes({ status, reason }: Underway, last: Underway | undefined): void {
  const keys = payoutSearchAttributes
  const itsKey = { key: keys.key, value: keyOf(workflowInfo().workflowId) }
  if (status !== (last?.status ?? 'pending')) {
    const why = reason === undefined ? [] : [{ key: keys.reason, value: reason }]
    upsertSearchAttributes([{ key: keys.status, value: status }, itsKey, ...why])
  } else if (last === undefined && patched(showsItsKey)) {
    upsertSearchAttributes([itsKey])
  }
}

function reportOf(order: PayoutOrder, step: Underway | undefined, nextPollAt: Date | null): PayoutReport {
  return {
    payoutId: order.payoutId,
    attempt: order.attempt,
    status: step?.status ?? 'pending',
    reason: step?.reason ?? null,
    transferRef: step?.transferRef ?? null,
    waitsFor: step === undefined ? 'its first step' : waitsFor(step),
    nextPollAt: nextPollAt?.toISOString() ?? null,
    lastBankError: step?.bank ?? null,
  }
}

function waitsFor({ at, says }: Underway): string {
  switch (at) {
    case 'unsent':
      return says
    case 'unknown':
      return 'confirmation of whether the bank has the transfer'
    case 'sent':
      return 'the bank to deliver it'
    case 'settled':
      return 'its charge'
    case 'over':
      return 'nothing'
  }
}

type Shown = Pick<Underway, 'says' | 'reason' | 'bank'>

export function detailsOf({ payoutId }: { readonly payoutId: string }, { says, reason, bank }: Shown): string {
  const why = reason === undefined ? '' : ` Reason: ${reason}.`
  return `Payout ${payoutId}: ${says}.${why}${bank === undefined ? '' : ` The bank's last answer: ${bank}.`}`
}

/** For example "30 s", "10 min" or "2 h". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}

/** Descriptions of the query, the updates and the signal in the Web UI. */
export const described = {
  report: { description: 'The status of the payout, what it waits for, and the time of the next poll' },
  create: { description: 'Used by the API: waits for the answer to the caller' },
  cancel: { description: 'Cancels the payout if the bank has not been called yet; otherwise it has no effect' },
  bankSpoke: { description: 'Polls the bank immediately instead of at the next interval' },
}

function onCancelInTemporal(cancels: Cancels, wake: () => void): void {
  CancellationScope.current().cancelRequested.catch(() => {
    if (patched(asksTheRow)) {
      cancels.add('in Temporal')
      return
    }
    cancels.addBefore('in Temporal')
    // In the first releases a cancelled run waited for its next poll.
    if (patched('cancel-wakes')) wake()
  })
}

type Cancels = ReturnType<typeof createCancels>

/** Counts the requests to cancel this payout, and how many of them are decided. */
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
    /** Only for older runs. They obey a cancel only when they are about to send. */
    addBefore(how: Cancelled): void {
      before ??= how
    },
    before: () => before,
    arePending: () => asked > decided,
    isDecided: (request: number) => decided >= request,
    decideAll(): void {
      decided = asked
    },
    /** Decides the requests made before this call. A later request reads the row again. */
    async decide<T>(ask: (how: Cancelled) => Promise<T>): Promise<T> {
      const request = asked
      const answer = await ask(latest)
      decided = Math.max(decided, request)
      return answer
    },
  }
}

async function begin(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  const summary = `debit ${order.sends ?? 'the wallet'}`
  const step = await debitPayout.executeWithOptions({ summary }, [order])
  if (step.at !== 'held') return step
  return send(order, cancels)
}

/**
 * Decides a pending cancel before anything is sent. The row's lock determines whether the cancel or the submit wins.
 */
async function send(order: PayoutOrder, cancels: Cancels, summary = 'submit'): Promise<Underway> {
  const before = cancels.before()
  if (before !== null) return cancelPayout({ ...order, how: before })
  if (cancels.arePending()) return decideCancel(order, cancels)
  return submitToRail.executeWithOptions({ summary }, [order])
}

function decideCancel(order: PayoutOrder, cancels: Cancels): Promise<Underway> {
  return cancels.decide(async (how) => {
    const step = await cancelPayout({ ...order, how })
    return step.needsLookup ? resolveSubmit({ ...order, cancel: how }) : step
  })
}

/** The bank may have had a transfer for a long time when it is found, so its status is polled immediately. */
async function next(order: PayoutOrder, step: Underway, cancels: Cancels, call: number): Promise<Underway> {
  const after = step.bank === undefined ? '' : ` after ${step.bank}`
  if (step.at === 'unsent' && !step.needsLookup) return send(order, cancels, `submit, call ${call}${after}`)
  const summary = `find out whether the bank has it, call ${call}${after}`
  const resolved = step.at === 'sent' ? null : await resolveSubmit.executeWithOptions({ summary }, [order])
  if (resolved !== null && resolved.at !== 'sent') return resolved
  return pollSettlement.executeWithOptions({ summary: `poll ${call - 1}${after}` }, [order])
}

function pauseMs({ pollMs }: PayoutOrder, asked: number): number {
  return pollMs[Math.min(asked, pollMs.length - 1)] ?? 60_000
}

async function answered(verdict: () => Verdict | undefined): Promise<Verdict> {
  await condition(() => verdict() !== undefined)
  const given = verdict()
  if (given === undefined) throw new Error('the verdict must be known after the wait')
  return given
}

/** A cancel in Temporal must not interrupt the code that moves money, or the answer to the caller. */
function uncancelled<T>(work: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(work)
}
