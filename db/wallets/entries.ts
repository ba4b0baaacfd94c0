// A wallet's statement: every entry of its account in the ledger with the balance after it, newest first.
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement } from '../database'
import { isVisible, type Page, type Scope } from '../payouts/payouts'

export interface WalletEntryRow {
  /** Of the ledger's set, which has one entry in the wallet at most. */
  readonly id: string
  readonly at: Date
  readonly cause: string
  readonly amountMicroUsdc: bigint
  /** After this entry and all that came before it. */
  readonly balanceMicroUsdc: bigint
  /** Null for what is about no payout, and for a payout that its callers were not told about, as are the three below. */
  readonly payoutId: string | null
  readonly payoutStatus: PayoutStatus | null
  readonly recipientName: string | null
  readonly accountLast4: string | null
}

/** Moments are texts, so that PostgreSQL compares all their digits. */
export interface EntryFilters {
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
}

/** `startingAfter` must be an id that hasWalletEntry finds in the same scope. */
export async function listWalletEntries(
  db: Queryable,
  { partnerId, environment }: Scope,
  { createdAfter, createdBefore }: EntryFilters,
  { take, startingAfter }: Page,
): Promise<WalletEntryRow[]> {
  const values = [partnerId, environment, take, startingAfter, createdAfter ?? null, createdBefore ?? null]
  return db.query<WalletEntryRow>(selectEntries, values)
}

export async function hasWalletEntry(db: Queryable, { partnerId, environment }: Scope, id: string): Promise<boolean> {
  return (await db.query(selectEntry, [partnerId, environment, id])).length > 0
}

const accountOf = `SELECT account.id FROM wallets JOIN ledger_accounts account ON account.wallet_id = wallets.id
  WHERE wallets.partner_id = $1 AND wallets.environment = $2 AND account.kind = 'wallet' AND account.currency = 'USDC'`

const largestId = '9223372036854775807'

// By the entries' own order, which under the wallet's lock is that of its balances; clocks of two workers may differ.
const selectEntries: Statement = {
  name: 'wallet-entries',
  text: `SELECT ledger_set.id, ledger_set.created_at AS at, ledger_set.cause, entry.amount_micro_usdc AS "amountMicroUsdc",
      entry.balance_micro_usdc AS "balanceMicroUsdc", payout.id AS "payoutId", payout.status AS "payoutStatus",
      payout.recipient_name AS "recipientName", payout.account_last4 AS "accountLast4"
    FROM ledger_entries entry JOIN ledger_sets ledger_set ON ledger_set.id = entry.set_id
    LEFT JOIN LATERAL (SELECT id, status, recipient_name, account_last4 FROM payouts
      WHERE id = ledger_set.payout_id AND ${isVisible}) payout ON true
    WHERE entry.account_id = (${accountOf})
      AND entry.id < coalesce(
        (SELECT id FROM ledger_entries WHERE set_id = $4 AND account_id = (${accountOf})), ${largestId})
      AND ($5::timestamptz IS NULL OR ledger_set.created_at >= $5)
      AND ($6::timestamptz IS NULL OR ledger_set.created_at < $6)
    ORDER BY entry.id DESC LIMIT $3`,
}

const selectEntry: Statement = {
  name: 'wallet-entry',
  text: `SELECT id FROM ledger_entries WHERE set_id = $3 AND account_id = (${accountOf})`,
}
