// The states of a payout attempt and the transitions between them. This file changes only the row. submit.ts and
// resolve.ts call the bank.
//
//   state     meaning
//   null      no call to the bank was started, and nothing is decided; the workflow gets `held` or `unsent`
//   unknown   a call to the bank was started, and no transfer is recorded
//   sent      the bank has a transfer
//   settled   the bank has delivered it, and it is not charged yet
//   over      nothing is left to do: refused, cancelled, failed, charged, or replaced by a newer attempt
//
//   from      to        by                when
//   null      null      holdPayout        it must wait: the caller is answered, so the payout exists from now on
//   null      unknown   beginSubmit       before each first call to the bank (submit.ts)
//   null      sent      recordTransfer    a lookup found a transfer that a restored row lacks
//   null      over      refuse            the wallet's balance is too low (debit.ts)
//   null      over      releasePayout     the bank refuses it, or is not available and the caller can retry
//   null      over      cancelUnsent      the partner or an operator cancels it (cancel.ts)
//   unknown   null      withdrawSubmit    the call provably sent nothing (submit.ts)
//   unknown   unknown   noteUnknown       the answer was lost: the call can no longer be withdrawn
//   unknown   sent      recordTransfer    the bank accepted the transfer, or a lookup or an operator found it
//   unknown   over      releasePayout     nothing was sent, and the proof still holds under the lock
//   unknown   over      refuse            an operator decides that nothing was sent (ops/payouts/by-hand/resolve.ts)
//   sent      settled   bookAnswer        the bank delivered it (settle.ts)
//   sent      over      bookAnswer        the bank sent the money back (settle.ts)
//   settled   over      chargePayout      its fees are charged (charge.ts)
//   over      sent      undoRelease       an operator binds a transfer to it (ops/payouts/by-hand/bind.ts)
import type { Queryable, Tx } from '../../db/database'
import { recordFailedCall } from '../../db/payouts/events'
import { reverseDebit } from '../../db/payouts/money'
import { wipeRecipient } from '../../db/payouts/recipients/sealed'
import {
  keepPayout,
  loadStep,
  lockStep,
  markAnswered,
  releaseRow,
  type StepRow,
  setAttention,
} from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import { formatPence } from '../../domain/money'
import { isRefusal, kept, type Refusal, refused, type Verdict } from '../../domain/payouts/payout'
import type { BankOperation, Transfer } from '../../rail/rail'
import { reasons } from '../../rail/reasons'
import { simulatedRefs } from '../../rail/simulated'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'

/**
 * The state of an attempt, for a run that resumes it, repeats it or comes too late. Null if no call was started and
 * nothing is decided.
 */
export function stateOf(row: StepRow, { attempt }: PayoutRef): Underway | null {
  // The key was claimed again, so the row belongs to a newer attempt.
  if (row.attempt !== attempt) return over('refused', 'superseded', refused('payout_not_created'))
  if (row.releasedAt !== null) return over('refused', 'refused', refusalOf(row), row.verdict)
  if (row.closedAt !== null) return over(row.status, row.status, kept, row.failureReason)
  if (row.status === 'completed') return settledOf(row)
  if (row.transferRef !== null) {
    const sent = { at: 'sent', verdict: kept, status: row.status, says: 'sent to the bank' } as const
    return { ...sent, transferRef: row.transferRef, ...reasonIn(row.failureReason) }
  }
  if (row.submitStartedAt !== null) return unconfirmed
  return null
}

export function settledOf({ environment, feePence, feeInTransferPence, transferRef }: StepRow): Underway {
  const fee =
    environment === 'live'
      ? `fee ${formatPence(feePence - feeInTransferPence)} GBP and network costs`
      : 'nothing in the sandbox'
  const says = `completed, to be charged: ${fee}`
  return { at: 'settled', verdict: kept, status: 'completed', says, ...(transferRef !== null && { transferRef }) }
}

export const unconfirmed: Underway = {
  at: 'unknown',
  verdict: kept,
  status: 'pending',
  says: 'the bank has not confirmed it',
}

/** `failureReason` is a code, optionally followed by a sentence. */
export function over(
  status: Underway['status'],
  says: string = status,
  verdict: Verdict = kept,
  failureReason: string | null = null,
): Underway {
  return { at: 'over', verdict, status, says, ...reasonIn(failureReason) }
}

/** The code of a failure reason, without its sentence, for search attributes. */
export function reasonIn(failureReason: string | null): { readonly reason?: string } {
  const code = /^[a-z][a-z_]*/.exec(failureReason ?? '')?.[0]
  return code === undefined ? {} : { reason: code }
}

function refusalOf({ verdict, verdictDetails }: StepRow): Verdict {
  return refused(verdict !== null && isRefusal(verdict) ? verdict : 'payout_not_created', verdictDetails)
}

function unsent(says: string): Underway {
  return { at: 'unsent', verdict: kept, status: 'pending', says }
}

/**
 * Whether the API has answered the caller, or is about to. From then on the payout exists, and a refusal can only fail
 * it.
 */
function isAcknowledged({ answeredAt, verdict }: StepRow): boolean {
  return answeredAt !== null || verdict !== null
}

/**
 * Whether the first call comes so late that the bank may have forgotten the key of an earlier call. This happens if the
 * row was restored from a backup or held for a day (docs/decisions/payouts/late-first-calls.md). The bank remembers a
 * key for 24 hours by its own clock. Within that time, a repeated first call returns the existing transfer.
 */
export function isLate({ createdAt }: StepRow, { clock }: Pick<PayoutDeps, 'clock'>): boolean {
  return clock.now().getTime() - createdAt.getTime() >= bankKeepsKeysMs
}

const bankKeepsKeysMs = 23 * 3_600_000

/** Makes the workflow call `resolveSubmit`, because reading the bank's list can outlast a workflow task. */
export const needsLookup: Underway = {
  ...unsent('unsent for a day: looking up the transfer first'),
  needsLookup: true,
}

/** `db` is a Queryable, because some transitions run in their caller's transaction. */
interface RowDeps extends Pick<PayoutDeps, 'clock'> {
  readonly db: Queryable
}

/** Returns the state that another run has set. Records an unknown outcome before returning it. */
export async function reportState(deps: RowDeps, payout: PayoutRef, state: Underway): Promise<Underway> {
  return state.at === 'unknown' ? noteUnknown(deps, payout) : state
}

/**
 * Holds a payout that must not be sent now. Its debit remains. The row records the answer before the caller receives
 * it. From then on a refusal does not release the key.
 */
export async function holdPayout(deps: PayoutDeps, payout: PayoutRef, held?: Underway): Promise<Underway> {
  await markAnswered(deps.db, { ...payout, at: deps.clock.now() })
  const row = await loadStep(deps.db, payout.payoutId)
  const state = stateOf(row, payout)
  return state === null ? (held ?? unsent(holdReasonOf(row))) : reportState(deps, payout, state)
}

function holdReasonOf({ heldBy }: StepRow): string {
  switch (heldBy) {
    case 'rail paused':
      return 'waiting: the rail is paused'
    case 'partner not active':
      return 'waiting: the partner is not active'
    case null:
      return 'waiting to be sent'
  }
}

/**
 * Records that the outcome of a call is unknown, before the caller is answered and before the call is repeated. From
 * then on the answer to the first call no longer proves that nothing was sent.
 */
export async function noteUnknown({ db, clock }: RowDeps, payout: PayoutRef): Promise<Underway> {
  const { payoutId, attempt } = payout
  await keepPayout(db, {
    payoutId,
    attempt,
    verdict: 'unknown',
    status: 'pending',
    failureReason: null,
    transferRef: null,
    transferState: null,
    event: 'unconfirmed',
    afterwards: 'open',
    at: clock.now(),
  })
  // Null: the run that made the call has since proved that it sent nothing.
  return stateOf(await loadStep(db, payoutId), payout) ?? unsent('waiting to be sent')
}

/**
 * Records the bank's transfer. If the bank refused it immediately, the payout fails, and a later poll books the refund.
 */
export async function recordTransfer(
  deps: RowDeps & Pick<PayoutDeps, 'log'>,
  payout: PayoutRef,
  row: StepRow,
  transfer: Transfer,
): Promise<Underway> {
  const { payoutId, attempt } = payout
  const undeliverable = transfer.status === 'undeliverable'
  const failureReason = undeliverable ? (transfer.reason ?? reasons.bank_refused) : null
  const status = undeliverable ? 'failed' : 'processing'
  const recorded = await keepPayout(deps.db, {
    payoutId,
    attempt,
    verdict: undeliverable ? 'rejected' : 'accepted',
    status,
    failureReason,
    transferRef: transfer.ref,
    transferState: transfer.state,
    event: undeliverable ? 'failed' : 'sent',
    afterwards: 'open',
    at: deps.clock.now(),
  })
  if (!recorded) return recordedBefore(deps, payout, transfer)
  if (transfer.sentMicroUsdc !== row.walletSendsMicroUsdc) {
    deps.log.error({ payout_id: payoutId }, 'the bank debited a different amount than we did')
    await setAttention(deps.db, payoutId, 'debited_differently')
  }
  const says = undeliverable ? 'refused by the bank, waiting for the refund' : 'sent to the bank'
  return { at: 'sent', verdict: kept, status, says, transferRef: transfer.ref, ...reasonIn(failureReason) }
}

/**
 * Another run has already decided this attempt. If the row does not name this transfer, no row accounts for its money.
 */
async function recordedBefore(
  { db, log }: RowDeps & Pick<PayoutDeps, 'log'>,
  payout: PayoutRef,
  transfer: Transfer,
): Promise<Underway> {
  const row = await loadStep(db, payout.payoutId)
  if (row.transferRef !== transfer.ref) {
    const about = { payout_id: row.id, transfer_ref: transfer.ref }
    log.error(about, 'the bank has a transfer that is missing from its payout row')
    await setAttention(db, row.id, 'unaccounted_transfer')
  }
  return stateOf(row, payout) ?? unconfirmed
}

/**
 * Records why a call to the bank failed, for operators. The payout continues even if the failure cannot be recorded.
 */
export async function noteFailedCall(
  { db, clock, log }: Pick<PayoutDeps, 'db' | 'clock' | 'log'>,
  { id: payoutId, attempt, environment }: StepRow,
  { operation, cause }: { readonly operation: BankOperation; readonly cause: string },
): Promise<void> {
  log.warn({ payout_id: payoutId, environment, operation, cause }, 'call to the bank failed')
  try {
    await recordFailedCall(db, { payoutId, attempt, operation, cause, at: clock.now() })
  } catch (error) {
    log.error({ err: error, payout_id: payoutId }, 'cannot record a failed call to the bank')
  }
}

export interface Refused {
  readonly code: Refusal
  readonly details: Readonly<Record<string, string>> | null
  /** A stable code and a sentence. An acknowledged payout fails with this reason. */
  readonly failureReason: string
  /** An acknowledged payout waits out the error. An unacknowledged one is refused, and the caller retries. */
  readonly error?: 'transient'
}

/**
 * The proof that nothing was sent. It must still hold under the row's lock, because another run may have changed the
 * state of the attempt.
 */
type Proof = 'nothing-called' | 'own-calls' | 'absent-at-the-bank'

/** Whether the proof holds for a row in the state `unknown`, where a call was started. */
const stillProves: Readonly<Record<Proof, (row: StepRow) => boolean>> = {
  'nothing-called': () => false,
  // A second run records "unknown" before it answers or calls the bank. From then on the bank may have received more
  // calls than the first run's.
  'own-calls': ({ verdict }) => verdict === null,
  'absent-at-the-bank': ({ verdict }) => verdict === 'unknown',
}

/**
 * Refuses the payout and reverses its debit if the proof still holds. Otherwise returns the row's state. An
 * acknowledged payout waits out a transient error instead.
 */
export async function releasePayout(
  deps: PayoutDeps,
  payout: PayoutRef,
  refusal: Refused & { readonly proof: Proof },
): Promise<Underway> {
  return deps.db.transaction(async (tx) => {
    const row = await lockStep(tx, payout.payoutId)
    const state = stateOf(row, payout)
    const isUnsent = state === null || (state.at === 'unknown' && stillProves[refusal.proof](row))
    if (!isUnsent) return reportState({ clock: deps.clock, db: tx }, payout, state)
    if (refusal.error === 'transient' && isAcknowledged(row)) return unsent('waiting until the bank accepts it')
    await reverseDebit(tx, row, deps.clock.now())
    return refuse(tx, row, refusal, deps.clock.now())
  })
}

/**
 * The caller must hold the row's lock. An acknowledged payout fails. Otherwise the key is released, as if it had never
 * been used.
 */
export async function refuse(
  tx: Tx,
  row: StepRow,
  { code, details, failureReason }: Refused,
  at: Date,
): Promise<Underway> {
  const payoutId = row.id
  await wipeRecipient(tx, payoutId)
  if (!isAcknowledged(row)) {
    await releaseRow(tx, { payoutId, verdict: code, details, at })
    return over('refused', code, refused(code, details), code)
  }
  const recorded = await keepPayout(tx, {
    payoutId,
    attempt: row.attempt,
    verdict: 'late_refusal',
    status: 'failed',
    failureReason,
    transferRef: null,
    transferState: null,
    event: 'failed',
    afterwards: 'closed',
    at,
  })
  assert(recorded, 'a refusal must be recorded with its reversal')
  return over('failed', failureReason, kept, failureReason)
}

/** The refusal of a payout for which the bank has no transfer, according to the bank's complete list or an operator. */
export const neverSent: Refused = {
  code: 'payout_not_created',
  details: null,
  failureReason: 'not_sent: The bank has no such transfer.',
}

/** The bank's references for the payout's customer and wallet. */
export function refsOf(row: StepRow): { customerRef: string; walletRef: string } {
  if (row.rail === 'simulated') return simulatedRefs
  assert(row.customerRef !== null && row.walletRef !== null, 'a connected wallet must have its bank references')
  return { customerRef: row.customerRef, walletRef: row.walletRef }
}
