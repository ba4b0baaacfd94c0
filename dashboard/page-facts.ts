// Public settings that the server writes into the page.
import type { Environment } from './api/types'

interface PageFacts {
  /** The URL of the local mail inbox, if there is one. */
  readonly mail_inbox_url?: string | null
  readonly sign_up?: boolean
  /** Null if no support address is configured. */
  readonly support_email?: string | null
  /** Whether the live environment uses a simulated bank. */
  readonly live_is_simulated?: boolean
  /** Whether the sandbox uses a simulated bank, on which a user can simulate the outcome of a payout. */
  readonly sandbox_is_simulated?: boolean
}

/** Whether no real money moves in the environment. The Top up page then warns that real money would be lost. */
export function isSimulated(environment: Environment): boolean {
  return environment === 'sandbox' || pageFacts.live_is_simulated === true
}

export const pageFacts: PageFacts = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="payouts"]')?.content || '{}',
)
