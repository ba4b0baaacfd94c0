// Finds out what became of a call whose answer was lost: the identical call again, then a look through the bank's own list.
import { loadStep, type StepRow, setAttention } from '../../db/payout-steps'
import { assert } from '../../domain/assert'
import { type FoundTransfer, RailUnavailable } from '../../rail/rail'
import type { PayoutRef, Underway } from '../../workflows/payout-steps'
import type { PayoutDeps } from './deps'
import { refsOf } from './recipient'
import { failNeverSent } from './settle'
import { standingOf, unconfirmed } from './standing'
import { recordTransfer } from './submit'
import { noteUnknown } from './unknown'

export async function resolveSubmit(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const standing = standingOf(row, payout)
  if (standing?.at !== 'unknown') return standing ?? unconfirmed
  if (row.verdict === null) {
    const noted = await noteUnknown(deps, payout)
    if (noted.at !== 'unknown') return noted
  }
  assert(row.bankBody !== null && row.submitStartedAt !== null, 'a call that was started must have its bytes')

  const ageMs = deps.clock.now().getTime() - row.submitStartedAt.getTime()
  // While people have paused the rail, the bank is only asked: a repeat could be the call that pays.
  if (ageMs < deps.patience.repeatForMs && !row.isRailPaused) {
    // However long this process stood still meanwhile: a call that left later could pay what another run has taken back.
    const endBy = new Date(row.submitStartedAt.getTime() + deps.patience.repeatForMs)
    const again = await deps.rails[row.rail].submit({ key: row.bankKey, body: row.bankBody, call: 'repeat', endBy })
    if (again.outcome === 'accepted') return recordTransfer(deps, payout, row, again.transfer)
  }
  // A refusal of the repeat proves nothing while the first call may still be under way at the bank.
  return ageMs < deps.patience.quietMs ? unconfirmed : lookUp(deps, payout, row, ageMs)
}

async function lookUp(deps: PayoutDeps, payout: PayoutRef, row: StepRow, ageMs: number): Promise<Underway> {
  const since = row.submitStartedAt
  assert(since !== null, 'only a call that was started is looked for')
  const found = await find(deps, row, since)
  // The workflow's own pauses are the patience with a bank that is away.
  if (found === 'no answer') return { ...unconfirmed, says: 'the bank does not answer' }
  if (found.outcome === 'found') return recordTransfer(deps, payout, row, found.transfer)
  // The last repeat may still be under way at the bank: only its silence a quiet period later is final.
  const { repeatForMs, quietMs } = deps.patience
  if (found.outcome === 'absent' && ageMs >= repeatForMs + quietMs) return failNeverSent(deps, payout)
  if (found.outcome === 'incomplete') {
    deps.log.error({ payout_id: row.id }, 'the bank’s list is incomplete: a person has to decide about this payout')
    await setAttention(deps.db, row.id, 'outcome_unknown')
  }
  return unconfirmed
}

async function find({ rails }: PayoutDeps, row: StepRow, since: Date): Promise<FoundTransfer | 'no answer'> {
  try {
    return await rails[row.rail].findTransfer({ ...refsOf(row), payoutId: row.id, since })
  } catch (error) {
    if (error instanceof RailUnavailable) return 'no answer'
    throw error
  }
}
