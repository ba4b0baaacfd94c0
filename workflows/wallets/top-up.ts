// Adds test money to a sandbox wallet. Only activities move money, so the API starts this workflow and waits.
import { requireFields } from '../input'
import { regularActivities } from '../proxies'

/** IDs and amounts only. */
export interface SandboxTopUp {
  readonly partnerId: string
  /** The member who requested the top-up. The activity looks up the member's email, which the activity list shows. */
  readonly memberId?: string
  /** The prefix of the API key that requested the top-up, if no member did. */
  readonly keyPrefix?: string
  readonly usdc: string
  /** Makes the top-up idempotent. */
  readonly causeRef: string
}

export interface ToppedUp {
  /** The wallet's new balance, rounded down. */
  readonly balanceUsdc: string
}

export interface TopUpActivities {
  /**
   * Credits test money to the wallet. If the wallet is at the sandbox bank, also deposits the money there. Idempotent.
   */
  topUpSandbox(topUp: SandboxTopUp): Promise<ToppedUp>
}

/** A caller waits, so the first retry comes soon. The workflow's own timeout ends the retries. */
const { topUpSandbox } = regularActivities<TopUpActivities>('1 minute', { first: '200 ms', longest: '10 seconds' })

export async function topUp(order: SandboxTopUp): Promise<ToppedUp> {
  requireFields(order, { partnerId: 'id', usdc: 'text', causeRef: 'text' })
  return topUpSandbox(order)
}
