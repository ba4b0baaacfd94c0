// Loads everything stored about one payout for operators: its row, events, ledger entries, failed calls and charges.
import type { Queryable } from '../database'
import { listChargesOfPayout, type PartnerCharge } from '../invoices/charges'
import { type FailedCall, listFailedCalls, type PayoutEventRow } from './events'
import type { StoredPayout } from './payout'

export interface PayoutStory {
  readonly payout: StoryPayout
  /** The events of all attempts, oldest first. */
  readonly events: readonly StoryEvent[]
  readonly entries: readonly StoryEntry[]
  /** The failed calls of all attempts, latest last. */
  readonly failedCalls: readonly FailedCall[]
  /** Empty in the sandbox, because sandbox payouts are never charged. */
  readonly charges: readonly PartnerCharge[]
}

/** Excludes the recipient's name, the partner's reference and all but the last four digits of the account. */
export interface StoryPayout
  extends Pick<
    StoredPayout,
    | 'id'
    | 'partnerId'
    | 'environment'
    | 'idempotencyKey'
    | 'attempt'
    | 'status'
    | 'failureReason'
    | 'attention'
    | 'amountPence'
    | 'feePence'
    | 'walletSendsMicroUsdc'
    | 'accountLast4'
    | 'rail'
    | 'bankKey'
    | 'transferRef'
    | 'transferState'
    | 'verdict'
    | 'createdAt'
    | 'submitStartedAt'
    | 'answeredAt'
    | 'releasedAt'
    | 'closedAt'
  > {
  readonly slug: string
  readonly isPartnerActive: boolean
}

export type StoryEvent = Omit<PayoutEventRow, 'id' | 'payoutId'>

export interface StoryEntry {
  readonly at: Date
  readonly cause: string
  readonly account: string
  readonly amountMicroUsdc: bigint
}

export async function findPayoutStory(db: Queryable, payoutId: string): Promise<PayoutStory | null> {
  const [payout] =
    await db.sql<StoryPayout>`SELECT p.id, p.partner_id, partners.slug, partners.status = 'active' AS is_partner_active,
      p.environment, p.idempotency_key, p.attempt, p.status, p.failure_reason, p.attention, p.amount_pence,
      p.fee_pence, p.wallet_sends_micro_usdc, p.account_last4, p.rail, p.bank_key, p.transfer_ref, p.transfer_state,
      p.verdict, p.created_at, p.submit_started_at, p.answered_at, p.released_at, p.closed_at
    FROM payouts p JOIN partners ON partners.id = p.partner_id WHERE p.id = ${payoutId}`
  if (payout === undefined) return null
  const events =
    await db.sql<StoryEvent>`SELECT at, kind, status, made_by, detail FROM payout_events WHERE payout_id = ${payoutId} ORDER BY id`
  const entries = await db.sql<StoryEntry>`SELECT s.created_at AS at, s.cause, a.kind AS account, e.amount_micro_usdc
    FROM ledger_sets s JOIN ledger_entries e ON e.set_id = s.id JOIN ledger_accounts a ON a.id = e.account_id
    WHERE s.payout_id = ${payoutId} ORDER BY e.id`
  const failedCalls = await listFailedCalls(db, payoutId)
  return { payout, events, entries, failedCalls, charges: await listChargesOfPayout(db, payoutId) }
}
