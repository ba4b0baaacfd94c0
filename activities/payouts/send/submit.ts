// Sends a payout to the bank, or proves that it was not sent.
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../../db/database'
import { isDebited } from '../../../db/payouts/money'
import { forgetBankRecipient } from '../../../db/payouts/recipients/at-bank'
import {
  beginSubmit,
  keepPayout,
  loadStep,
  type StepRow,
  setAttention,
  withdrawSubmit,
} from '../../../db/payouts/steps'
import { assert } from '../../../domain/assert'
import { kept } from '../../../domain/payouts/verdict'
import type { NotSentWhy, Submitted, Transfer } from '../../../rail/rail'
import type { PayoutRef, Underway } from '../../../workflows/payouts/payout'
import type { PayoutDeps } from '../../bind'
import { type Refused, releasePayout } from '../release'
import { standingOf, unconfirmed } from '../standing'
import { noteUnknown } from '../unknown'
import { type AnswerTime, answerTime, isTimeLeft, whileBusy } from './answer-time'
import { holdPayout } from './hold'
import { isLate, toBeLookedUp } from './late'
import { refsOf, registerRecipient } from './recipient'

export async function submitToRail(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  if (standingOf(row, payout) === null && row.heldBy === null && isLate(row, deps)) {
    return holdPayout(deps, payout, toBeLookedUp)
  }
  return submitUnsent(deps, payout, row)
}

/** However late: the bank must be known to have nothing of a payout that is. */
export async function submitUnsent(deps: PayoutDeps, payout: PayoutRef, row: StepRow): Promise<Underway> {
  const standing = standingOf(row, payout)
  if (standing !== null) return standing.at === 'unknown' ? noteUnknown(deps, payout) : standing
  if (row.heldBy !== null) return holdPayout(deps, payout)

  const time = answerTime(deps)
  const recipient = await registerRecipient(deps, row, time)
  if (recipient === null) return overMeanwhile(deps, payout)
  if (recipient.outcome === 'rejected') {
    return releasePayout(deps, payout, { ...accountRejected(recipient.reason), proof: 'nothing-called' })
  }
  // Better not sent than cut off: the bank knows the recipient from here on, so the next try has the time for the transfer.
  if (recipient.outcome === 'unavailable' || !isTimeLeft(time)) {
    return waitOrRelease(deps, payout, recipient.outcome === 'unavailable' ? recipient.why : 'unavailable')
  }

  const { recipientRef } = recipient
  const order = { payoutId: row.id, ...refsOf(row), recipientRef, amountPence: row.amountPence }
  const body = deps.rails[row.rail].transferBody({
    ...order,
    sendsMicroUsdc: row.walletSendsMicroUsdc,
    reference: row.reference,
  })
  const submitted = await whileBusy(time, () => callBank(deps, payout, row, body, time))
  return submitted.outcome === 'overtaken' ? passed(deps, payout) : record(deps, payout, row, recipientRef, submitted)
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
  if (submitted.outcome !== 'not-sent') return submitted
  // Nothing was sent, so nothing stays locked: the next call is a first one again, and until then a cancel wins.
  const isWithdrawn = await withdrawSubmit(deps.db, { ...payout, key: first.key, newKey: randomUUID() })
  return isWithdrawn ? submitted : { outcome: 'overtaken' }
}

/** A cancel between our two looks at the row has wiped the recipient. */
async function overMeanwhile(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const standing = standingOf(await loadStep(deps.db, payout.payoutId), payout)
  assert(standing !== null, 'a payout that is to be sent must have its recipient')
  return standing
}

/** Without a debit nothing may be sent, however that came about: a person has to look. */
async function passed(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const standing = standingOf(row, payout)
  if (standing !== null) return standing.at === 'unknown' ? noteUnknown(deps, payout) : standing
  // Not by whether the rail is paused now: it may have been resumed since.
  if (await isDebited(deps.db, row)) return holdPayout(deps, payout)
  deps.log.error({ payout_id: payout.payoutId }, 'a payout is held that was never debited')
  await setAttention(deps.db, payout.payoutId, 'debit_missing')
  return unconfirmed
}

async function record(
  deps: PayoutDeps,
  payout: PayoutRef,
  row: StepRow,
  recipientRef: string,
  submitted: Submitted,
): Promise<Underway> {
  switch (submitted.outcome) {
    case 'accepted':
      return recordTransfer(deps, payout, row, submitted.transfer)
    case 'unknown':
      return noteUnknown(deps, payout)
    case 'rejected':
      if (submitted.who === 'recipient') await forgetBankRecipient(deps.db, refsOf(row).customerRef, recipientRef)
      return releasePayout(deps, payout, { ...rejectionFor(submitted), proof: 'own-calls' })
    case 'not-sent':
      return waitOrRelease(deps, payout, submitted.why)
  }
}

/**
 * No call is open. An acknowledged payout waits until the cause is gone; for the others the caller hears 502 and retries.
 * Waiting alone mends neither our configuration nor a wallet that is too low at the bank, so an operator is asked, once.
 */
async function waitOrRelease(deps: PayoutDeps, payout: PayoutRef, why: NotSentWhy): Promise<Underway> {
  if (why === 'misconfigured' || why === 'insufficient') {
    const isNew = await setAttention(deps.db, payout.payoutId, `bank_${why}`)
    if (isNew) deps.log.error({ payout_id: payout.payoutId, why }, 'the bank does not take transfers from us')
  }
  const refusal = why === 'unavailable' ? unreachable : notTaken
  return releasePayout(deps, payout, { ...refusal, trouble: 'passing', proof: 'nothing-called' })
}

interface Recording extends Pick<PayoutDeps, 'clock' | 'log'> {
  readonly db: Queryable
}

/** The bank has it: under way, or refused at once, in which case the money comes back when the bank says so. */
export async function recordTransfer(
  deps: Recording,
  payout: PayoutRef,
  row: StepRow,
  transfer: Transfer,
): Promise<Underway> {
  const { payoutId, attempt } = payout
  const undeliverable = transfer.standing === 'undeliverable'
  const recorded = await keepPayout(deps.db, {
    payoutId,
    attempt,
    verdict: undeliverable ? 'rejected' : 'accepted',
    status: undeliverable ? 'failed' : 'processing',
    failureReason: undeliverable ? (transfer.reason ?? 'rejected_by_bank: The bank rejected the payout.') : null,
    transferRef: transfer.ref,
    transferState: transfer.state,
    event: undeliverable ? 'failed' : 'sent',
    afterwards: 'open',
    at: deps.clock.now(),
  })
  if (!recorded) return recordedBefore(deps, payout, transfer)
  if (transfer.sentMicroUsdc !== row.walletSendsMicroUsdc) {
    deps.log.error({ payout_id: payoutId }, 'the bank has debited another amount than we have')
    await setAttention(deps.db, payoutId, 'debited_differently')
  }
  const says = undeliverable ? 'refused by the bank, refund awaited' : 'sent to the bank'
  return { at: 'sent', verdict: kept, status: undeliverable ? 'failed' : 'processing', says }
}

/** Another run was quicker; if it was with anything but this transfer, money has moved that no row accounts for. */
async function recordedBefore({ db, log }: Recording, payout: PayoutRef, transfer: Transfer): Promise<Underway> {
  const row = await loadStep(db, payout.payoutId)
  if (row.transferRef !== transfer.ref) {
    log.error(
      { payout_id: row.id, transfer_ref: transfer.ref },
      'the bank has a transfer that the payout does not know',
    )
    await setAttention(db, row.id, 'unaccounted_transfer')
  }
  return standingOf(row, payout) ?? unconfirmed
}

function rejectionFor({ who, reason }: Extract<Submitted, { outcome: 'rejected' }>): Refused {
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
  return {
    code: 'recipient_account_rejected',
    details: null,
    failureReason: `account_rejected: ${sentenceOf(reason)}`,
  }
}

function notSent(reason: string): Refused {
  return { code: 'payout_not_created', details: null, failureReason: `not_sent: ${sentenceOf(reason)}` }
}

const unreachable = notSent('The bank could not be reached.')
const notTaken = notSent('The bank did not take it.')

/** Reasons of the rail are "code: Sentence."; ours puts its own code in front. */
function sentenceOf(reason: string): string {
  return reason.replace(/^[a-z_]+: /, '')
}
