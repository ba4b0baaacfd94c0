// What the mails about payouts, deposits and cases say of each of them.

import type { Environment } from '../../domain/environment'
import type { CaseKind, CaseOutcome } from '../../domain/payouts/case'
import type { Queryable, Statement } from '../database'

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
  return db.query<PayoutToTell>(selectPayouts, [partnerId, environment, ids])
}

export async function casesToTell(
  db: Queryable,
  { partnerId, environment }: Scope,
  ids: readonly string[],
): Promise<CaseToTell[]> {
  return db.query<CaseToTell>(selectCases, [partnerId, environment, ids])
}

/** What each of these movements of the bank's brought into the wallet, at once or after people had looked at it. */
export async function depositsToTell(
  db: Queryable,
  { partnerId, environment }: Scope,
  bankRefs: readonly string[],
): Promise<bigint[]> {
  const rows = await db.query<{ amountMicroUsdc: bigint }>(selectDeposits, [partnerId, environment, bankRefs])
  return rows.map(({ amountMicroUsdc }) => amountMicroUsdc)
}

const selectPayouts: Statement = {
  name: 'notice-payouts',
  text: `SELECT id AS "payoutId", amount_pence AS "amountPence", recipient_name AS "recipientName",
      account_last4 AS "accountLast4", failure_reason AS "failureReason", created_by AS "createdBy"
    FROM payouts WHERE id = ANY($3::uuid[]) AND partner_id = $1 AND environment = $2
    ORDER BY array_position($3::uuid[], id)`,
}

const selectCases: Statement = {
  name: 'notice-cases',
  text: `SELECT cases.id AS "caseId", payout_id AS "payoutId", kind, outcome, amount_pence AS "amountPence"
    FROM cases JOIN payouts ON payouts.id = cases.payout_id
    WHERE cases.id = ANY($3::uuid[]) AND partner_id = $1 AND environment = $2
    ORDER BY array_position($3::uuid[], cases.id)`,
}

const selectDeposits: Statement = {
  name: 'notice-deposits',
  text: `SELECT entry.amount_micro_usdc AS "amountMicroUsdc"
    FROM wallets JOIN ledger_sets ON ledger_sets.wallet_id = wallets.id
      JOIN ledger_accounts account ON account.wallet_id = wallets.id AND account.kind = 'wallet'
      JOIN ledger_entries entry ON entry.set_id = ledger_sets.id AND entry.account_id = account.id
    WHERE wallets.partner_id = $1 AND wallets.environment = $2 AND ledger_sets.cause_ref = ANY($3::text[])
      AND ledger_sets.cause IN ('deposit', 'held_credit')
    ORDER BY array_position($3::text[], ledger_sets.cause_ref)`,
}
