// Resolves a call whose response was lost: repeats the identical call, then looks the transfer up in the bank's list.
import { isDebited } from '../../db/payouts/money'
import { loadStep, type StepRow, setAttention } from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import { type FoundTransfer, RailUnavailable } from '../../rail/rail'
import type { PayoutActivities, PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import {
  holdPayout,
  neverSent,
  noteFailedCall,
  noteUnknown,
  recordTransfer,
  refsOf,
  releasePayout,
  stateOf,
  unconfirmed,
} from './attempt'
import { cancelUnsent } from './cancel'
import { submitUnsent } from './submit'

export async function resolveSubmit(
  deps: PayoutDeps,
  { cancel, ...payout }: Parameters<PayoutActivities['resolveSubmit']>[0],
): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const state = stateOf(row, payout)
  // The row records no call. Either it was restored from a backup, or it is so old that the bank may have forgotten a
  // call.
  if (state === null) {
    const taken = await takeOver(deps, payout, row)
    if (cancel === undefined) return taken ?? submitUnsent(deps, payout, row)
    // An unavailable bank must not keep the money locked, so trust the row. The row is wrong only after a restore from
    // a backup, and the reconciliation after the restore finds the transfer.
    return taken === null || taken.at === 'unsent' ? cancelUnsent(deps, { ...payout, how: cancel }) : taken
  }
  // A cancel that comes too late has no effect, so it must not repeat the call.
  if (state.at !== 'unknown' || cancel !== undefined) return state
  if (row.verdict === null) {
    const noted = await noteUnknown(deps, payout)
    // Once its outcome is noted as unknown, the call can no longer be withdrawn. Read the row again, because its bank
    // key may have been replaced before that.
    return noted.at === 'unknown' ? resolveSubmit(deps, payout) : noted
  }
  assert(row.bankBody !== null && row.submitStartedAt !== null, 'a call that was started must have a stored body')

  const ageMs = deps.clock.now().getTime() - row.submitStartedAt.getTime()
  let failed: { readonly bank?: string } = {}
  // While the rail is paused or the partner suspended, only look up the transfer: a retry could be the call that pays.
  if (ageMs < deps.limits.repeatForMs && row.heldBy === null) {
    // The limit applies even if the process was suspended: a later call could pay money that another run has refunded.
    const endBy = new Date(row.submitStartedAt.getTime() + deps.limits.repeatForMs)
    const again = await deps.rails[row.rail].submit({ key: row.bankKey, body: row.bankBody, call: 'repeat', endBy })
    if (again.outcome === 'accepted') return recordTransfer(deps, payout, row, again.transfer)
    await noteFailedCall(deps, row, { operation: 'submit_transfer', ...again })
    failed = { bank: again.cause }
  }
  // A refusal of the retry proves nothing while the first call may still be in progress at the bank.
  const step = ageMs < deps.limits.listLagMs ? unconfirmed : await lookUp(deps, payout, row, ageMs)
  return step.at === 'unknown' ? { ...failed, ...step } : step
}

async function lookUp(deps: PayoutDeps, payout: PayoutRef, row: StepRow, ageMs: number): Promise<Underway> {
  const found = await findAtBank(deps, row)
  switch (found.outcome) {
    case 'found':
      return recordTransfer(deps, payout, row, found.transfer)
    // The workflow's own poll interval is the backoff for a bank that does not answer.
    case 'no answer':
      return { ...unconfirmed, says: 'the bank does not answer', bank: found.cause }
    case 'incomplete':
      return { ...unconfirmed, says: 'waiting: an operator has to decide' }
    case 'absent': {
      // The last retry may still be in progress at the bank, so an absent transfer is final only after the list lag.
      const { repeatForMs, listLagMs } = deps.limits
      if (ageMs < repeatForMs + listLagMs) return unconfirmed
      return releasePayout(deps, payout, { ...neverSent, proof: 'absent-at-the-bank' })
    }
  }
}

/**
 * Returns null if the bank provably has no transfer, or if the payout was never debited and so can be neither settled
 * nor sent.
 */
async function takeOver(deps: PayoutDeps, payout: PayoutRef, row: StepRow): Promise<Underway | null> {
  if (!(await isDebited(deps.db, row))) return null
  const found = await findAtBank(deps, row)
  switch (found.outcome) {
    case 'absent':
      return null
    case 'no answer':
      return { bank: found.cause, ...(await holdPayout(deps, payout, noAnswer)) }
    case 'incomplete':
      return holdPayout(deps, payout, found.transferRef ? unreadable : undecided)
    case 'found':
      deps.log.warn(
        { payout_id: row.id, transfer_ref: found.transfer.ref },
        'found a transfer that is missing from its payout row',
      )
      return recordTransfer(deps, payout, row, found.transfer)
  }
}

const undecided: Underway = { ...unconfirmed, at: 'unsent', says: 'waiting: an operator has to decide' }
const noAnswer: Underway = { ...undecided, says: 'waiting: the bank has not confirmed whether it has the transfer' }
/**
 * An unreadable transfer contains the payout's ID, so a call was made before the row was restored, and a cancel comes
 * too late.
 */
const unreadable: Underway = { ...undecided, at: 'unknown' }

/** Raises attention if the bank's list is inconclusive. */
async function findAtBank(
  deps: PayoutDeps,
  row: StepRow,
): Promise<FoundTransfer | { readonly outcome: 'no answer'; readonly cause: string }> {
  const { db, rails, log } = deps
  const found = await find(rails, row)
  if (found.outcome === 'no answer') await noteFailedCall(deps, row, { operation: 'list_transfers', ...found })
  if (found.outcome === 'incomplete' && (await setAttention(db, row.id, 'outcome_unknown'))) {
    const about = { payout_id: row.id, transfer_ref: found.transferRef ?? null }
    log.error(about, 'lookup incomplete: an operator has to decide about this payout')
  }
  return found
}

/**
 * Starts the search at the row's creation: a restored row might lack calls that were made long before its first
 * recorded one.
 */
async function find(rails: PayoutDeps['rails'], row: StepRow) {
  try {
    return await rails[row.rail].findTransfer({ ...refsOf(row), payoutId: row.id, since: row.createdAt })
  } catch (error) {
    if (error instanceof RailUnavailable) return { outcome: 'no answer', cause: error.answer } as const
    throw error
  }
}
