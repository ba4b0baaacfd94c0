// Keeps the email and the half-filled payout of a session that ends, in memory only: both are personal data.
import type { PayoutFields } from '../pages/payouts/send/form'

let endedEmail: string | null = null

/** Called when the server ends the session, so that the sign-in page can explain itself. */
export function noteSessionEnd(email: string | undefined): void {
  endedEmail = email ?? null
}

export const emailOfEndedSession = () => endedEmail

/** The form of one member, partner and environment. */
interface Draft {
  readonly owner: string
  readonly typed: PayoutFields
}

let draft: Draft | null = null

export function keepDraft(owner: string, typed: PayoutFields): void {
  draft = { owner, typed }
}

export function draftOf(owner: string): PayoutFields | null {
  return draft?.owner === owner ? draft.typed : null
}

export function forgetDraft(): void {
  draft = null
}
