// What the server wrote into the page for everyone who opens it: nothing of it is secret.
import type { Environment } from './api/types'

interface PageFacts {
  /** Where this machine's mails end, where it keeps them. */
  readonly mail_inbox_url?: string | null
  readonly sign_up?: boolean
  /** Whether the live environment pays through a bank that moves no money. */
  readonly live_is_make_believe?: boolean
  /** Whether the sandbox's bank can be told what to do. */
  readonly sandbox_is_make_believe?: boolean
}

/** Whether money that is sent there is lost, as nobody's bank takes it. */
export function isPretend(environment: Environment): boolean {
  return environment === 'sandbox' || pageFacts.live_is_make_believe === true
}

export const pageFacts: PageFacts = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="payouts"]')?.content || '{}',
)
