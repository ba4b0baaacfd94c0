// Asks the bank how a payout's transfer stands, and what of its money is in the wallet again.
import type { StepRow } from '../../../db/payouts/steps'
import { assert } from '../../../domain/assert'
import { RailUnavailable, type Refund, type Transfer } from '../../../rail/rail'
import type { PayoutDeps } from '../../bind'
import { refsOf } from '../send/recipient'

export interface Asked {
  readonly transfer: Transfer
  /** Whether the bank says that the money is in the wallet again. */
  readonly isBack: boolean
  readonly refund: Refund | null
}

/** The workflow's own pauses are the patience with a bank that is away: a retry in here would only lengthen its history. */
export async function askBank(deps: PayoutDeps, row: StepRow): Promise<Asked | 'no answer'> {
  assert(row.transferRef !== null, 'a payout that was sent must know its transfer')
  try {
    const transfer = await deps.rails[row.rail].transfer(row.transferRef)
    const isBack = transfer.standing === 'refunded' || transfer.standing === 'cancelled'
    return { transfer, isBack, refund: isBack ? await refundOf(deps, row, transfer) : null }
  } catch (error) {
    if (error instanceof RailUnavailable) return 'no answer'
    throw error
  }
}

/** What really came back; the transfer of some banks does not say it, the wallet's history does. */
async function refundOf({ rails }: PayoutDeps, row: StepRow, transfer: Transfer): Promise<Refund | null> {
  const { refundedMicroUsdc: amountMicroUsdc } = transfer
  if (amountMicroUsdc !== null) return { amountMicroUsdc, movementRef: null }
  return rails[row.rail].findRefund({ ...refsOf(row), transferRef: transfer.ref, since: row.createdAt })
}
