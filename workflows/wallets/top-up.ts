// Adds test money to a sandbox wallet. Only activities move money, so the API starts this and waits.
import { requireFields } from '../input'
import { regularActivities } from '../proxies'

/** IDs and amounts only. */
export interface SandboxTopUp {
  readonly partnerId: string
  /** The member who asked for it. The activity looks up the name for the activity list. */
  readonly memberId?: string
  /** The prefix of the API key that asked for it, if no member did. */
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
  /** Books test money, and creates it at the sandbox bank if the wallet is at one. Idempotent. */
  topUpSandbox(topUp: SandboxTopUp): Promise<ToppedUp>
}

/** A caller waits, so the first retry comes soon. The workflow's own timeout ends the retries. */
const { topUpSandbox } = regularActivities<TopUpActivities>('1 minute', { first: '200 ms', longest: '10 seconds' })

export async function topUp(order: SandboxTopUp): Promise<ToppedUp> {
  requireFields(order, { partnerId: 'id', usdc: 'text', causeRef: 'text' })
  return topUpSandbox(order)
}
