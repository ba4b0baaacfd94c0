// What a bank's word about a transfer means to the payout that our books have of it: the one table of contradictions and returns.
import type { PayoutStatus } from '../domain/payouts/payout'
import type { Standing } from './rail'

export interface ToldTransfer {
  readonly ref: string | null
  readonly standing: Standing
}

export interface KnownPayout {
  readonly status: PayoutStatus
  readonly transferRef: string | null
  readonly releasedAt: Date | null
  readonly closedAt: Date | null
}

/**
 * `contradiction`: the bank speaks of a transfer that we took back, never knew, made otherwise, or have settled otherwise.
 * `came_back`: a completed payout may have been returned. `open`: its workflow asks anyway. `known`: late news.
 */
export type News = 'contradiction' | 'came_back' | 'open' | 'known'

export function newsOf({ ref, standing }: ToldTransfer, payout: KnownPayout): News {
  const { status, transferRef, releasedAt, closedAt } = payout
  if (releasedAt !== null || (transferRef !== null && ref !== transferRef)) return 'contradiction'
  if (closedAt === null) return 'open'
  if (transferRef === null) return 'contradiction'
  if (standing === 'under_way') return 'known'
  if (status === 'completed') return ofCompleted[standing]
  // What was returned had been delivered before, and events come in any order.
  return standing === 'delivered' && status !== 'returned' ? 'contradiction' : 'known'
}

/** A transfer can not be called off once it was delivered; what else has gone wrong with it is asked for. */
const ofCompleted: Readonly<Record<Exclude<Standing, 'under_way'>, News>> = {
  delivered: 'known',
  undeliverable: 'came_back',
  returned: 'came_back',
  refunded: 'came_back',
  needs_people: 'came_back',
  cancelled: 'contradiction',
}
