// Sends a payout to the bank, or proves that it was not sent. attempt.ts defines the states and records the outcome.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isDebited } from '../../db/payouts/money'
import {
  deleteBankRecipient,
  detailsHash,
  findBankRecipient,
  rememberBankRecipient,
} from '../../db/payouts/recipients/at-bank'
import { openRecipient } from '../../db/payouts/recipients/sealed'
import { beginSubmit, loadStep, type StepRow, setAttention, withdrawSubmit } from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import type { NotAccepted, NotSentWhy, Registered, Submitted } from '../../rail/rail'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import {
  holdPayout,
  isLate,
  needsLookup,
  noteFailedCall,
  noteUnknown,
  type Refused,
  recordTransfer,
  refsOf,
  releasePayout,
  reportState,
  stateOf,
  unconfirmed,
} from './attempt'

export async function submitToRail(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  if (stateOf(row, payout) === null && row.heldBy === null && isLate(row, deps)) {
    return holdPayout(deps, payout, needsLookup)
  }
  return submitUnsent(deps, payout, row)
}

/**
 * Submits a payout of any age. If the payout is late (`isLate`), the caller must have checked that the bank has no
 * transfer.
 */
export async function submitUnsent(deps: PayoutDeps, payout: PayoutRef, row: StepRow): Promise<Underway> {
  const state = stateOf(row, payout)
  if (state !== null) return reportState(deps, payout, state)
  if (row.heldBy !== null) return holdPayout(deps, payout)

  const time = answerTime(deps)
  const recipient = await registerRecipient(deps, row, time)
  if (recipient === null) return cancelledSince(deps, payout)
  if (recipient.outcome === 'rejected') {
    const rejected = { ...accountRejected(recipient.reason), proof: 'nothing-called' } as const
    return { ...(await releasePayout(deps, payout, rejected)), bank: recipient.cause }
  }
  if (recipient.outcome === 'unavailable') {
    return { ...(await waitOrRelease(deps, payout, recipient.why)), bank: recipient.cause }
  }
  // An interrupted call has an unknown outcome, so a call starts only if its full timeout is left. The recipient is
  // registered by now, so the next try has time for the transfer.
  if (!isTimeLeft(time)) return waitOrRelease(deps, payout, 'unavailable')

  const { recipientRef } = recipient
  const body = deps.rails[row.rail].transferBody({
    payoutId: row.id,
    ...refsOf(row),
    recipientRef,
    amountPence: row.amountPence,
    sendsMicroUsdc: row.walletSendsMicroUsdc,
    reference: row.reference,
  })
  const submitted = await whileBusy(time, () => callBank(deps, payout, row, body, time))
  switch (submitted.outcome) {
    case 'overtaken':
      return overtaken(deps, payout)
    case 'accepted':
      return recordTransfer(deps, payout, row, submitted.transfer)
    default:
      return { ...(await notAccepted(deps, payout, row, { ...submitted, recipientRef })), bank: submitted.cause }
  }
}

async function notAccepted(
  deps: PayoutDeps,
  payout: PayoutRef,
  row: StepRow,
  submitted: NotAccepted & { readonly recipientRef: string },
): Promise<Underway> {
  switch (submitted.outcome) {
    case 'unknown':
      return noteUnknown(deps, payout)
    case 'rejected':
      if (submitted.who === 'recipient') {
        await deleteBankRecipient(deps.db, refsOf(row).customerRef, submitted.recipientRef)
      }
      return releasePayout(deps, payout, { ...rejectionFor(submitted), proof: 'own-calls' })
    case 'not-sent':
      return waitOrRelease(deps, payout, submitted.why)
  }
}

/** Registering moves no money, so it can be repeated. Returns null if a cancel has wiped the recipient's details. */
async function registerRecipient(deps: PayoutDeps, row: StepRow, time: AnswerTime): Promise<Registered | null> {
  const { db, keyring, rails, clock } = deps
  const details = await openRecipient(db, keyring, row.id)
  if (details === null) return null
  const { customerRef } = refsOf(row)
  const hash = detailsHash(keyring, details)
  const known = await findBankRecipient(db, customerRef, hash)
  if (known !== null) return { outcome: 'registered', recipientRef: known }

  const asked = { customerRef, recipient: details, endBy: time.endBy }
  // Each call has its own key, because a bank may repeat its refusal for a known key. The bank recognises a
  // registered account by its details.
  const registered = await whileBusy(time, async () => {
    const answer = await rails[row.rail].registerRecipient({ ...asked, key: randomUUID() })
    if (answer.outcome !== 'registered') await noteFailedCall(deps, row, { operation: 'register_recipient', ...answer })
    return answer
  })
  if (registered.outcome === 'registered') {
    await rememberBankRecipient(db, { customerRef, hash, recipientRef: registered.recipientRef, at: clock.now() })
  }
  return registered
}

/** `overtaken`: another run has called the bank, or the payout was cancelled or held since this run read the row. */
async function callBank(
  deps: PayoutDeps,
  payout: PayoutRef,
  row: StepRow,
  body: string,
  { endBy }: AnswerTime,
): Promise<Submitted | { readonly outcome: 'overtaken' }> {
  const first = await beginSubmit(deps.db, { ...payout, body, at: deps.clock.now() })
  if (first === null) return { outcome: 'overtaken' }
  const submitted = await deps.rails[row.rail].submit({ ...first, call: 'first', endBy })
  if (submitted.outcome === 'accepted') return submitted
  // If nothing was sent, withdraw the submit. The next call then counts as the first one, and the payout can be
  // cancelled until that call.
  const renewed = { ...payout, key: first.key, newKey: randomUUID() }
  const isOvertaken = submitted.outcome === 'not-sent' && !(await withdrawSubmit(deps.db, renewed))
  await noteFailedCall(deps, row, { operation: 'submit_transfer', ...submitted })
  return isOvertaken ? { outcome: 'overtaken' } : submitted
}

/** A cancel between our two reads of the row has wiped the recipient. */
async function cancelledSince(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const state = stateOf(await loadStep(deps.db, payout.payoutId), payout)
  assert(state !== null, 'a payout that is to be sent must have its recipient')
  return state
}

async function overtaken(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const state = stateOf(row, payout)
  if (state !== null) return reportState(deps, payout, state)
  // The payout was held when the call was about to start. The rail may have been resumed in the meantime.
  if (await isDebited(deps.db, row)) return holdPayout(deps, payout)
  // A payout without a debit must not be sent, so an operator must check it.
  deps.log.error({ payout_id: payout.payoutId }, 'a held payout was never debited')
  await setAttention(deps.db, payout.payoutId, 'debit_missing')
  return unconfirmed
}

/**
 * No call is in progress. An acknowledged payout waits out the error. An unacknowledged one is refused with 502, and
 * the caller retries. Waiting fixes neither our configuration nor a low balance at the bank, so both raise attention,
 * once.
 */
async function waitOrRelease(deps: PayoutDeps, payout: PayoutRef, why: NotSentWhy): Promise<Underway> {
  if (why === 'misconfigured' || why === 'insufficient') {
    const isNew = await setAttention(deps.db, payout.payoutId, `bank_${why}`)
    if (isNew) deps.log.error({ payout_id: payout.payoutId, why }, 'the bank does not accept our transfers')
  }
  const refusal = why === 'unavailable' ? unreachable : notAcceptedYet
  return releasePayout(deps, payout, { ...refusal, error: 'transient', proof: 'nothing-called' })
}

function rejectionFor({ who, reason }: Extract<NotAccepted, { outcome: 'rejected' }>): Refused {
  switch (who) {
    case 'recipient':
      return accountRejected(reason)
    case 'partner':
      return notSent(reason)
    case 'amount':
      return { code: 'invalid_amount', details: null, failureReason: reason }
    case 'quote':
      return { code: 'payout_not_created', details: null, failureReason: reason }
  }
}

function accountRejected(reason: string): Refused {
  const failureReason = `account_rejected: ${sentenceOf(reason)}`
  return { code: 'recipient_account_rejected', details: null, failureReason }
}

function notSent(reason: string): Refused {
  return { code: 'payout_not_created', details: null, failureReason: `not_sent: ${sentenceOf(reason)}` }
}

const unreachable = notSent('The bank could not be reached.')
const notAcceptedYet = notSent('The bank did not accept it.')

/** Removes the code from the rail's reason ("code: Sentence."), because our failure reason has its own code. */
function sentenceOf(reason: string): string {
  return reason.replace(/^[a-z_]+: /, '')
}

/** The time limits for calls to the bank while a caller waits. */
interface AnswerTime {
  readonly clock: PayoutDeps['clock']
  /** No call begins after this time, so that each has its full timeout before `endBy`. */
  readonly beginBy: Date
  readonly endBy: Date
}

function answerTime({ clock, limits }: Pick<PayoutDeps, 'clock' | 'limits'>): AnswerTime {
  const beginBy = clock.now().getTime() + limits.answerWithinMs
  return { clock, beginBy: new Date(beginBy), endBy: new Date(beginBy + limits.answerCallMs) }
}

function isTimeLeft({ clock, beginBy }: AnswerTime, inMs = 0): boolean {
  return clock.now().getTime() + inMs < beginBy.getTime()
}

type Answered = { readonly outcome: string; readonly why?: string; readonly retryAfterMs?: number | null }

/**
 * Repeats the call while the bank is busy and time is left. Waits for the backoff or Retry-After, whichever is longer.
 */
async function whileBusy<T extends Answered>(time: AnswerTime, call: () => Promise<T>): Promise<T> {
  for (let pauseMs = shortestPauseMs; ; pauseMs *= 2) {
    const answer = await call()
    const waitMs = Math.max(pauseMs, answer.retryAfterMs ?? 0)
    // A call with an unknown outcome is not repeated here, because later calls would no longer count as first calls.
    if (answer.why !== 'busy' || !isTimeLeft(time, waitMs)) return answer
    await wait(waitMs)
  }
}

const shortestPauseMs = 50
