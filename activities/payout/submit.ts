// Sends a payout to the bank, or proves that it was not sent (design §3: "Provably not sent", "Unknown").
import { forgetBankRecipient } from '../../db/bank-recipients'
import type { Queryable } from '../../db/database'
import { isPosted } from '../../db/ledger'
import { keepPayout, loadStep, type StepRow, setAttention, startSubmit } from '../../db/payout-steps'
import { assert } from '../../domain/assert'
import { kept } from '../../domain/verdict'
import type { Submitted, Transfer } from '../../rail/rail'
import type { PayoutRef, Underway } from '../../workflows/payout-steps'
import { answerTime, isTimeLeft, whileBusy } from './answer-time'
import type { PayoutDeps } from './deps'
import { holdPayout } from './hold'
import { isLate, toBeLookedFor } from './late'
import { refsOf, registerRecipient } from './recipient'
import { debitOf, releasePayout } from './release'
import { standingOf, unconfirmed } from './standing'
import { noteUnknown } from './unknown'

export async function submitToRail(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  if (standingOf(row, payout) === null && !row.isRailPaused && isLate(row, deps)) {
    return holdPayout(deps, payout, toBeLookedFor)
  }
  return submitUnsent(deps, payout, row)
}

/** However late: the bank must be known to have nothing of a payout that is. */
export async function submitUnsent(deps: PayoutDeps, payout: PayoutRef, row: StepRow): Promise<Underway> {
  const standing = standingOf(row, payout)
  if (standing !== null) return standing.at === 'unknown' ? noteUnknown(deps, payout) : standing
  if (row.isRailPaused) return holdPayout(deps, payout)

  const time = answerTime(deps)
  const recipient = await registerRecipient(deps, row, time)
  if (recipient === null) return overMeanwhile(deps, payout)
  if (recipient.outcome === 'rejected') {
    return releasePayout(deps, payout, { ...accountRejected(recipient.reason), proof: 'nothing-called' })
  }
  // Better not sent than cut off: the recipient is known from here on, so whoever tries again has the time for it.
  if (recipient.outcome === 'unavailable' || !isTimeLeft(time)) {
    const unreachable = { ...notSent('The bank could not be reached.'), trouble: 'passing' } as const
    return releasePayout(deps, payout, { ...unreachable, proof: 'nothing-called' })
  }

  const { recipientRef } = recipient
  const order = { payoutId: row.id, ...refsOf(row), recipientRef, amountPence: row.amountPence }
  const body = deps.rails[row.rail].transferBody({
    ...order,
    sendsMicroUsdc: row.walletSendsMicroUsdc,
    reference: row.reference,
  })
  const frozen = await startSubmit(deps.db, { ...payout, body, at: deps.clock.now() })
  // Somebody else has called the bank, cancelled or paused the rail between our two looks at the row.
  if (frozen === null) return passed(deps, payout)
  // While every call so far provably sent nothing, the next one is still a first one.
  const first = { key: row.bankKey, body: frozen, call: 'first', endBy: time.endBy } as const
  const submitted = await whileBusy(time, () => deps.rails[row.rail].submit(first))
  return record(deps, payout, row, recipientRef, submitted)
}

/** Somebody has cancelled it between our two looks at the row, and so wiped its recipient. */
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
  if (await isPosted(deps.db, debitOf(row))) return holdPayout(deps, payout)
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
      await forgetBankRecipient(deps.db, refsOf(row).customerRef, recipientRef)
      return releasePayout(deps, payout, {
        ...(submitted.who === 'recipient' ? accountRejected(submitted.reason) : notSent(submitted.reason)),
        proof: 'own-calls',
      })
    case 'not-sent': {
      const passing = submitted.why === 'busy' || submitted.why === 'unavailable'
      if (!passing) {
        // Our ledger covers it and the bank says it does not: somebody has to look, and nobody may guess.
        deps.log.error({ payout_id: row.id, why: submitted.why }, 'the bank refused what our ledger covers')
        await setAttention(deps.db, row.id, `bank_${submitted.why}`)
      }
      const trouble = passing ? 'passing' : 'lasting'
      return releasePayout(deps, payout, { ...notSent('The bank did not take it.'), trouble, proof: 'own-calls' })
    }
  }
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

function accountRejected(reason: string) {
  return {
    code: 'recipient_account_rejected',
    details: null,
    failureReason: `account_rejected: ${sentenceOf(reason)}`,
  } as const
}

function notSent(reason: string) {
  return { code: 'payout_not_created', details: null, failureReason: `not_sent: ${sentenceOf(reason)}` } as const
}

/** Reasons of the rail are "code: Sentence."; ours puts its own code in front. */
function sentenceOf(reason: string): string {
  return reason.replace(/^[a-z_]+: /, '')
}
