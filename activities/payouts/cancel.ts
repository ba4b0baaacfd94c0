// Cancels a payout if no call to the bank was started. The row's lock orders a concurrent cancel and submit.
import { recordActivity } from '../../db/controls/activity'
import type { Tx } from '../../db/database'
import { reverseDebit } from '../../db/payouts/money'
import { wipeRecipient } from '../../db/payouts/recipients/sealed'
import { keepPayout, loadStep, lockStep, type StepRow } from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import type { Cancelled, PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import { isLate, needsLookup, over, stateOf } from './attempt'

interface Cancel extends PayoutRef {
  readonly how?: Cancelled
}

export async function cancelPayout(deps: PayoutDeps, cancel: Cancel): Promise<Underway> {
  const row = await loadStep(deps.db, cancel.payoutId)
  return stateOf(row, cancel) === null && isLate(row, deps) ? needsLookup : cancelUnsent(deps, cancel)
}

/** Cancels a payout of any age. If the payout is late (`isLate`), the caller must have read the bank's list. */
export async function cancelUnsent(deps: PayoutDeps, { how, ...payout }: Cancel): Promise<Underway> {
  return deps.db.transaction(async (tx) => {
    const row = await lockStep(tx, payout.payoutId)
    const state = stateOf(row, payout)
    if (state !== null) return state
    await reverseDebit(tx, row, deps.clock.now())
    await wipeRecipient(tx, row.id)
    const recorded = await keepPayout(tx, {
      payoutId: row.id,
      attempt: row.attempt,
      verdict: 'cancelled',
      status: 'cancelled',
      failureReason: null,
      transferRef: null,
      transferState: null,
      event: 'cancelled',
      afterwards: 'closed',
      at: deps.clock.now(),
    })
    assert(recorded, 'a cancellation must be recorded with its reversal')
    if (how === 'in Temporal') await tellPartner(tx, row, deps.clock.now())
    return over('cancelled')
  })
}

/** The partner sees that an operator cancelled the payout. Only Temporal records which operator. */
async function tellPartner(tx: Tx, { id, partnerId, environment }: StepRow, at: Date): Promise<void> {
  const entry = { partnerId, environment, at, action: 'payout.cancel', detail: id, madeBy: 'ops:temporal' }
  await recordActivity(tx, [{ ...entry, changes: 'something', status: null, requestId: null }])
}
