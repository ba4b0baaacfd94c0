// Takes a payout back while nothing of it was sent: one look at the row under its lock decides between cancel and submit.
import { keepPayout, lockStep } from '../../db/payout-steps'
import { wipeRecipient } from '../../db/sealed-recipients'
import { assert } from '../../domain/assert'
import type { PayoutRef, Underway } from '../../workflows/payout-steps'
import type { PayoutDeps } from './deps'
import { reverseDebit } from './release'
import { over, standingOf } from './standing'

export async function cancelPayout(deps: PayoutDeps, payout: PayoutRef): Promise<Underway> {
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
    return over('cancelled')
  })
}
