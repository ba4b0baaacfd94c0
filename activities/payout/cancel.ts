// Takes a payout back while nothing of it was sent: one look at the row under its lock decides between cancel and submit.
import { recordActivity } from '../../db/activity'
import type { Tx } from '../../db/database'
import { keepPayout, lockStep, type StepRow } from '../../db/payout-steps'
import { wipeRecipient } from '../../db/sealed-recipients'
import { assert } from '../../domain/assert'
import type { Cancelled, PayoutRef, Underway } from '../../workflows/payout-steps'
import type { PayoutDeps } from './deps'
import { reverseDebit } from './release'
import { over, standingOf } from './standing'

export async function cancelPayout(
  deps: PayoutDeps,
  { how, ...payout }: PayoutRef & { readonly how?: Cancelled },
): Promise<Underway> {
  return deps.db.transaction(async (tx) => {
    const row = await lockStep(tx, payout.payoutId)
    const standing = standingOf(row, payout)
    if (standing !== null) return standing
    await reverseDebit(tx, row, deps)
    await wipeRecipient(tx, row.id)
    const recorded = await keepPayout(tx, {
      ...payout,
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

/** Who it was, only Temporal knows; that it was ops, the partner must be able to see. */
async function tellPartner(tx: Tx, { id, partnerId, environment }: StepRow, at: Date): Promise<void> {
  const entry = { partnerId, environment, at, action: 'payout.cancel', detail: id, madeBy: 'ops:temporal' }
  await recordActivity(tx, [{ ...entry, changes: 'something', status: null, requestId: null }])
}
