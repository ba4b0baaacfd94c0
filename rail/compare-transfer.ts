// Compares a transfer's state with our payout. The result is no change, a return or a contradiction.
import type { PayoutStatus } from '../domain/payouts/payout'
import type { TransferStatus } from './rail'

interface ReportedTransfer {
  readonly ref: string | null
  readonly status: TransferStatus
}

interface KnownPayout {
  readonly status: PayoutStatus
  readonly transferRef: string | null
  readonly releasedAt: Date | null
  readonly closedAt: Date | null
}

/**
 * `contradiction`: our payout was released, has no transfer or another one, or has settled differently. `came_back`: a
 * completed payout may have been returned. `open`: the payout's own workflow still polls the bank. `known`: there is
 * nothing new.
 */
export type TransferComparison = 'contradiction' | 'came_back' | 'open' | 'known'

export function compareTransfer({ ref, status: reported }: ReportedTransfer, payout: KnownPayout): TransferComparison {
  const { status, transferRef, releasedAt, closedAt } = payout
  if (releasedAt !== null || (transferRef !== null && ref !== transferRef)) return 'contradiction'
  // For the bank, a completed payout is final even before we have charged and closed it.
  if (closedAt === null && status !== 'completed') return 'open'
  if (transferRef === null) return 'contradiction'
  if (reported === 'under_way') return 'known'
  if (status === 'completed') return ofCompleted[reported]
  // A returned transfer was delivered before, and events can arrive in any order.
  return reported === 'delivered' && status !== 'returned' ? 'contradiction' : 'known'
}

/**
 * A delivered transfer cannot be cancelled, so `cancelled` is a contradiction. Every state except `delivered` and
 * `cancelled` starts the return workflow, which polls the bank.
 */
const ofCompleted: Readonly<Record<Exclude<TransferStatus, 'under_way'>, TransferComparison>> = {
  delivered: 'known',
  undeliverable: 'came_back',
  returned: 'came_back',
  refunded: 'came_back',
  needs_people: 'came_back',
  cancelled: 'contradiction',
}
