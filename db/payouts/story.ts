// All that is known of one payout, for ops: where it stands here and at the bank, what happened to it, and its money.
import type { Environment, RailName } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'
import { listChargesOfPayout, type PartnerCharge } from '../invoices/charges'

export interface PayoutStory {
  readonly payout: ToldPayout
  /** Oldest first, over all attempts. */
  readonly events: readonly ToldEvent[]
  readonly entries: readonly ToldEntry[]
  /** Empty in the sandbox, which is never charged. */
  readonly charges: readonly PartnerCharge[]
}

/** Neither the recipient's name nor the partner's reference: only the last four digits of the account. */
export interface ToldPayout {
  readonly id: string
  readonly partnerId: string
  readonly slug: string
  readonly isPartnerActive: boolean
  readonly environment: Environment
  readonly idempotencyKey: string
  readonly attempt: number
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly attention: string | null
  readonly amountPence: bigint
  readonly feePence: bigint
  readonly walletSendsMicroUsdc: bigint
  readonly accountLast4: string | null
  readonly rail: RailName
  readonly bankKey: string
  readonly transferRef: string | null
  readonly transferState: string | null
  readonly verdict: string | null
  readonly createdAt: Date
  readonly submitStartedAt: Date | null
  readonly answeredAt: Date | null
  readonly releasedAt: Date | null
  readonly closedAt: Date | null
}

export interface ToldEvent {
  readonly at: Date
  readonly kind: string
  readonly status: PayoutStatus
  readonly madeBy: string
  readonly detail: string | null
}

export interface ToldEntry {
  readonly at: Date
  readonly cause: string
  readonly account: string
  readonly amountMicroUsdc: bigint
}

export async function findPayoutStory(db: Queryable, payoutId: string): Promise<PayoutStory | null> {
  const [payout] =
    await db.sql<ToldPayout>`SELECT p.id, p.partner_id, partners.slug, partners.status = 'active' AS is_partner_active,
      p.environment, p.idempotency_key, p.attempt, p.status, p.failure_reason, p.attention, p.amount_pence,
      p.fee_pence, p.wallet_sends_micro_usdc, p.account_last4,
      p.rail, p.bank_key, p.transfer_ref, p.transfer_state, p.verdict,
      p.created_at, p.submit_started_at, p.answered_at,
      p.released_at, p.closed_at
    FROM payouts p JOIN partners ON partners.id = p.partner_id WHERE p.id = ${payoutId}`
  if (payout === undefined) return null
  const events =
    await db.sql<ToldEvent>`SELECT at, kind, status, made_by, detail FROM payout_events WHERE payout_id = ${payoutId} ORDER BY id`
  const entries = await db.sql<ToldEntry>`SELECT s.created_at AS at, s.cause, a.kind AS account, e.amount_micro_usdc
    FROM ledger_sets s JOIN ledger_entries e ON e.set_id = s.id JOIN ledger_accounts a ON a.id = e.account_id
    WHERE s.payout_id = ${payoutId} ORDER BY e.id`
  return { payout, events, entries, charges: await listChargesOfPayout(db, payoutId) }
}
