// Finds out what became of a call whose answer was lost: the identical call again, then a lookup in the bank's own list.
import { loadStep, type StepRow } from '../../../db/payouts/steps'
import { assert } from '../../../domain/assert'
import type { PayoutActivities, PayoutRef, Underway } from '../../../workflows/payouts/payout'
import type { PayoutDeps } from '../../bind'
import { cancelUnsent } from '../cancel'
import { failNeverSent } from '../settle/settle'
import { standingOf, unconfirmed } from '../standing'
import { noteUnknown } from '../unknown'
import { lookFor } from './look'
import { recordTransfer, submitUnsent } from './submit'
import { takeOver } from './take-over'

export async function resolveSubmit(
  deps: PayoutDeps,
  { cancel, ...payout }: Parameters<PayoutActivities['resolveSubmit']>[0],
): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const standing = standingOf(row, payout)
  // The row knows of no call: it was restored after one, or has waited until the bank may have forgotten one.
  if (standing === null) {
    const taken = await takeOver(deps, payout, row)
    if (cancel === undefined) return taken ?? submitUnsent(deps, payout, row)
    // A bank that does not answer must not keep the money locked. The row is right unless it was restored from a backup,
    // and the reconciliation that follows a restore finds such a transfer.
    return taken === null || taken.at === 'unsent' ? cancelUnsent(deps, { ...payout, how: cancel }) : taken
  }
  // A cancel that comes too late has no effect, so it does not repeat the call either.
  if (standing.at !== 'unknown' || cancel !== undefined) return standing
  if (row.verdict === null) {
    const noted = await noteUnknown(deps, payout)
    // Noted, the call can no longer be withdrawn. Until then its bank key may have been replaced, so the row is read again.
    return noted.at === 'unknown' ? resolveSubmit(deps, payout) : noted
  }
  assert(row.bankBody !== null && row.submitStartedAt !== null, 'a call that was started must have its bytes')

  const ageMs = deps.clock.now().getTime() - row.submitStartedAt.getTime()
  // While the rail is paused or the partner suspended, the bank is only asked: a repeat could be the call that pays.
  if (ageMs < deps.patience.repeatForMs && row.heldBy === null) {
    // However long this process was stopped: a call that left later could pay what another run has taken back.
    const endBy = new Date(row.submitStartedAt.getTime() + deps.patience.repeatForMs)
    const again = await deps.rails[row.rail].submit({ key: row.bankKey, body: row.bankBody, call: 'repeat', endBy })
    if (again.outcome === 'accepted') return recordTransfer(deps, payout, row, again.transfer)
  }
  // A refusal of the repeat proves nothing while the first call may still be under way at the bank.
  return ageMs < deps.patience.quietMs ? unconfirmed : lookUp(deps, payout, row, ageMs)
}

async function lookUp(deps: PayoutDeps, payout: PayoutRef, row: StepRow, ageMs: number): Promise<Underway> {
  const found = await lookFor(deps, row)
  // The workflow's own pauses are the patience with a bank that is away.
  if (found.outcome === 'no answer') return { ...unconfirmed, says: 'the bank does not answer' }
  if (found.outcome === 'found') return recordTransfer(deps, payout, row, found.transfer)
  // The last repeat may still be under way at the bank: only its silence a quiet period later is final.
  const { repeatForMs, quietMs } = deps.patience
  if (found.outcome === 'absent' && ageMs >= repeatForMs + quietMs) return failNeverSent(deps, payout)
  return found.outcome === 'incomplete' ? { ...unconfirmed, says: 'waiting: an operator has to decide' } : unconfirmed
}
