// Records an operator's decision, with evidence, about a call to the bank whose answer was lost. Checks with the bank
// first, and sends nothing.

import type { PayoutDeps } from '../../../activities/bind'
import { neverSent, recordTransfer, refsOf, refuse, stateOf } from '../../../activities/payouts/attempt'
import { recordActivity } from '../../../db/controls/activity'
import type { Tx } from '../../../db/database'
import { recordPayoutEvent } from '../../../db/payouts/events'
import { isDebited, reverseDebit } from '../../../db/payouts/money'
import { loadStep, lockStep, type StepRow } from '../../../db/payouts/steps'
import type { PayoutStatus } from '../../../domain/payouts/payout'
import type { Transfer } from '../../../rail/rail'

export type ByHandDeps = Pick<PayoutDeps, 'db' | 'clock' | 'log' | 'rails'> & {
  readonly limits: Pick<PayoutDeps['limits'], 'repeatForMs' | 'listLagMs'>
}

export interface Decision {
  readonly payoutId: string
  /** The bank's reference for the transfer. Null if nothing was sent. */
  readonly transferRef: string | null
  /** The operator's evidence, which is stored in the timeline. */
  readonly evidence: string
  readonly by: string
}

export type Resolved =
  | { readonly outcome: 'resolved'; readonly status: PayoutStatus }
  /** The reason, as a sentence. */
  | { readonly outcome: 'refused'; readonly why: string }

/** Without a transfer reference the payout counts as not sent, and its money returns to the wallet. */
export async function resolveByHand(deps: ByHandDeps, decision: Decision): Promise<Resolved> {
  const row = await loadStep(deps.db, decision.payoutId)
  const objection = objectionTo(row, decision) ?? (decision.transferRef === null ? tooEarly(deps, row) : null)
  if (objection !== null) return refusedFor(objection)
  return decision.transferRef === null
    ? resolveNotSent(deps, row, decision)
    : resolveSent(deps, row, decision, decision.transferRef)
}

async function resolveSent(deps: ByHandDeps, row: StepRow, decision: Decision, transferRef: string): Promise<Resolved> {
  if (!(await isDebited(deps.db, row))) {
    return refusedFor('The payout is not debited yet. Its workflow debits it: check that a worker is running.')
  }
  const { id, rail } = row
  const names = await deps.rails[rail].payoutOf(transferRef)
  if (names === null) return refusedFor('The bank has no such transfer, or the transfer does not reference a payout.')
  if (names !== id) return refusedFor('At the bank, this transfer belongs to another payout.')
  const transfer = await deps.rails[rail].transfer(transferRef)
  return decide(deps, decision, (tx, locked) => recordAs(tx, deps, locked, transfer))
}

async function resolveNotSent(deps: ByHandDeps, { rail, ...row }: StepRow, decision: Decision): Promise<Resolved> {
  const asked = { ...refsOf({ rail, ...row }), payoutId: row.id, since: row.createdAt }
  const found = await deps.rails[rail].findTransfer(asked)
  if (found.outcome === 'found') {
    return refusedFor(`The bank has the transfer ${found.transfer.ref} of this payout, so it was sent.`)
  }
  // An operator may decide even if the bank's lists are inconclusive. If an unreadable transfer names this payout, the
  // evidence must name that transfer.
  if (found.outcome === 'incomplete' && found.transferRef && !decision.evidence.includes(found.transferRef)) {
    return refusedFor(
      `The bank's transfer ${found.transferRef} names this payout and cannot be read: ask the bank, and name the transfer in the evidence if it moved no money.`,
    )
  }
  return decide(deps, decision, async (tx, locked) => {
    const early = tooEarly(deps, locked)
    if (early !== null) return refusedFor(early)
    await reverseDebit(tx, locked, deps.clock.now())
    const { status } = await refuse(tx, locked, neverSent, deps.clock.now())
    return status === 'failed'
      ? { outcome: 'resolved', status }
      : Promise.reject(new Error('an acknowledged payout that was not sent must become failed'))
  })
}

/** Decides under the row's lock, because the worker or another operator may have resolved the payout first. */
async function decide(
  { db, clock }: ByHandDeps,
  decision: Decision,
  work: (tx: Tx, row: StepRow) => Promise<Resolved>,
): Promise<Resolved> {
  const { payoutId, evidence, by, transferRef } = decision
  return db.transaction(async (tx) => {
    const row = await lockStep(tx, payoutId)
    const objection = objectionTo(row, decision)
    if (objection !== null) return refusedFor(objection)
    const resolved = await work(tx, row)
    if (resolved.outcome === 'refused') return resolved
    const at = clock.now()
    const detail = `${transferRef === null ? 'not sent' : `sent as ${transferRef}`}: ${evidence}`
    await recordPayoutEvent(tx, { payoutId, at, kind: 'resolved', madeBy: by, detail })
    const { partnerId, environment } = row
    const change = { partnerId, environment, at, action: 'payout.resolve', madeBy: by, detail: payoutId } as const
    await recordActivity(tx, [{ ...change, changes: 'something', status: null, requestId: null }])
    return resolved
  })
}

async function recordAs(tx: Tx, { clock, log }: ByHandDeps, row: StepRow, transfer: Transfer): Promise<Resolved> {
  const payout = { payoutId: row.id, attempt: row.attempt }
  const { status } = await recordTransfer({ db: tx, clock, log }, payout, row, transfer)
  if (status === 'processing' || status === 'failed') return { outcome: 'resolved', status }
  throw new Error('recording a transfer must leave the payout processing or failed')
}

function objectionTo(row: StepRow, { transferRef }: Decision): string | null {
  const state = stateOf(row, { payoutId: row.id, attempt: row.attempt })
  // A payout without a recorded call needs an operator if the bank's lists do not show whether it has a transfer.
  if (state === null && isUndecided(row)) return null
  // A restored row does not record a call that was made after the backup. The bank's record shows whether this transfer
  // belongs to this payout.
  if (state?.at === 'unknown' || (state === null && transferRef !== null)) return null
  if (state === null) return 'Nothing was sent to the bank yet, so there is nothing to resolve.'
  return state.at === 'sent'
    ? 'The bank has its transfer, so there is nothing to resolve.'
    : 'The payout is final, so there is nothing to resolve.'
}

/** A repeated call that is still in progress at the bank could pay out money that is refunded here. */
function tooEarly({ clock, limits }: ByHandDeps, row: StepRow): string | null {
  const { repeatForMs, listLagMs } = limits
  // A restored row might not record every call, but no call is older than the row.
  const ageMs = clock.now().getTime() - (row.submitStartedAt ?? row.createdAt).getTime()
  if (!(ageMs >= repeatForMs + listLagMs))
    return "It is too early: its call may still be repeated, and the bank's list may not show the transfer yet."
  if (isUndecided(row)) return null
  return 'The payout does not have the attention outcome_unknown, so it cannot be resolved by hand.'
}

/**
 * Whether an operator must decide about an acknowledged payout: the outcome of its call to the bank is unknown, or its
 * caller was answered before any such call.
 */
function isUndecided({ attention, verdict, answeredAt, submitStartedAt }: StepRow): boolean {
  const isKept = submitStartedAt === null ? answeredAt !== null : verdict === 'unknown'
  return attention === 'outcome_unknown' && isKept
}

function refusedFor(why: string): Resolved {
  return { outcome: 'refused', why }
}
