// What the mails about payouts, deposits and cases say of each of them.

import type { Environment } from '../../domain/environment'
import type { CaseKind, CaseOutcome } from '../../domain/payouts/case'
import type { Queryable } from '../database'

export interface PayoutToTell {
  readonly payoutId: string
  readonly amountPence: bigint
  readonly recipientName: string | null
  readonly accountLast4: string | null
  readonly failureReason: string | null
  /** An email, or `key:` and the key's prefix. */
  readonly createdBy: string
}

export interface CaseToTell {
  readonly caseId: string
  readonly payoutId: string
  readonly kind: CaseKind
  readonly outcome: CaseOutcome | null
  readonly amountPence: bigint
}

interface Scope {
  readonly partnerId: string
  readonly environment: Environment
}

/** Each list is in the order of the ids, and of this partner only. */
export async function payoutsToTell(
  db: Queryable,
  { partnerId, environment }: Scope,
  ids: readonly string[],
): Promise<PayoutToTell[]> {
  return db.sql<PayoutToTell>`SELECT id AS payout_id, amount_pence, recipient_name,
      account_last4, failure_reason, created_by
    FROM payouts WHERE id = ANY(${ids}::uuid[]) AND partner_id = ${partnerId} AND environment = ${environment}
    ORDER BY array_position(${ids}::uuid[], id)`
}

export async function casesToTell(
  db: Queryable,
  { partnerId, environment }: Scope,
  ids: readonly string[],
): Promise<CaseToTell[]> {
  return db.sql<CaseToTell>`SELECT cases.id AS case_id, payout_id, kind, outcome, amount_pence
    FROM cases JOIN payouts ON payouts.id = cases.payout_id
    WHERE cases.id = ANY(${ids}::uuid[]) AND partner_id = ${partnerId} AND environment = ${environment}
    ORDER BY array_position(${ids}::uuid[], cases.id)`
}

/** What each of these movements of the bank's brought into the wallet, at once or after people had looked at it. */
export async function depositsToTell(
  db: Queryable,
  { partnerId, environment }: Scope,
  bankRefs: readonly string[],
): Promise<bigint[]> {
  const rows = await db.sql<{ amountMicroUsdc: bigint }>`SELECT entry.amount_micro_usdc
    FROM wallets JOIN ledger_sets ON ledger_sets.wallet_id = wallets.id
      JOIN ledger_accounts account ON account.wallet_id = wallets.id AND account.kind = 'wallet'
      JOIN ledger_entries entry ON entry.set_id = ledger_sets.id AND entry.account_id = account.id
    WHERE wallets.partner_id = ${partnerId} AND wallets.environment = ${environment} AND ledger_sets.cause_ref = ANY(${bankRefs}::text[])
      AND ledger_sets.cause IN ('deposit', 'held_credit')
    ORDER BY array_position(${bankRefs}::text[], ledger_sets.cause_ref)`
  return rows.map(({ amountMicroUsdc }) => amountMicroUsdc)
}
