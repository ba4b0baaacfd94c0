// Public settings that the server writes into the page.
import type { Environment } from './api/types'

interface PageFacts {
  /** The local mail inbox, if this machine has one. */
  readonly mail_inbox_url?: string | null
  readonly sign_up?: boolean
  /** Null if this service has no address for questions. */
  readonly support_email?: string | null
  /** The live environment uses a simulated bank. */
  readonly live_is_simulated?: boolean
  /** The sandbox uses a simulated bank, which accepts simulations. */
  readonly sandbox_is_simulated?: boolean
}

/** Real money sent to a simulated account is lost. */
export function isSimulated(environment: Environment): boolean {
  return environment === 'sandbox' || pageFacts.live_is_simulated === true
}

export const pageFacts: PageFacts = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="payouts"]')?.content || '{}',
)
