// A wallet's statement: every entry in its ledger account with the balance after the entry, newest first.
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'
import { isVisible, type Page, type Scope } from '../payouts/payouts'
import { type Sql, sql } from '../sql'

export const entryKinds = ['topup', 'payout', 'refund', 'return', 'adjustment'] as const
export type EntryKind = (typeof entryKinds)[number]

export interface WalletEntryRow {
  /** The ID of the ledger set, which has at most one entry in the wallet. */
  readonly id: string
  readonly at: Date
  readonly cause: string
  readonly kind: EntryKind
  readonly amountMicroUsdc: bigint
  /** The balance after this entry. */
  readonly balanceMicroUsdc: bigint
  /**
   * Null if the entry has no payout, or if the partner cannot see the payout. The next three fields are then also
   * null.
   */
  readonly payoutId: string | null
  readonly payoutStatus: PayoutStatus | null
  readonly recipientName: string | null
  readonly accountLast4: string | null
}

/** Times are strings, so that PostgreSQL compares them with microsecond precision, which a Date does not have. */
export interface EntryFilters {
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly kinds?: readonly EntryKind[] | undefined
}

/** `startingAfter` must be an ID that `hasWalletEntry` finds in the same scope. */
export async function listWalletEntries(
  db: Queryable,
  scope: Scope,
  filters: EntryFilters,
  { take, startingAfter }: Page,
): Promise<WalletEntryRow[]> {
  const createdAfter = filters.createdAfter ?? null
  const createdBefore = filters.createdBefore ?? null
  const kinds = filters.kinds ?? null
  // Sorts by entry ID and not by time, because the clocks of two workers may differ. Entries are posted while the
  // wallet is locked, so the IDs are also in the order of the balances.
  return db.sql<WalletEntryRow>`SELECT ledger_set.id, ledger_set.created_at AS at, ledger_set.cause, ${kind} AS kind,
      entry.amount_micro_usdc, entry.balance_micro_usdc, payout.id AS payout_id, payout.status AS payout_status,
      payout.recipient_name, payout.account_last4
    FROM ledger_entries entry JOIN ledger_sets ledger_set ON ledger_set.id = entry.set_id
    LEFT JOIN LATERAL (SELECT id, status, recipient_name, account_last4 FROM payouts
      WHERE id = ledger_set.payout_id AND ${isVisible}) payout ON true
    WHERE entry.account_id = (${accountOf(scope)})
      AND entry.id < coalesce(
        (SELECT id FROM ledger_entries WHERE set_id = ${startingAfter} AND account_id = (${accountOf(scope)})), ${largestId})
      AND (${createdAfter}::timestamptz IS NULL OR ledger_set.created_at >= ${createdAfter})
      AND (${createdBefore}::timestamptz IS NULL OR ledger_set.created_at < ${createdBefore})
      AND (${kinds}::text[] IS NULL OR ${kind} = ANY (${kinds}))
    ORDER BY entry.id DESC LIMIT ${take}`
}

const kind = sql`CASE WHEN ledger_set.cause IN ('float', 'top_up', 'deposit', 'held_credit') THEN 'topup'
  WHEN ledger_set.cause = 'debit' THEN 'payout'
  WHEN ledger_set.cause = 'return' OR (ledger_set.cause = 'refund' AND payout.status = 'returned') THEN 'return'
  WHEN ledger_set.cause IN ('reversal', 'refund') THEN 'refund'
  ELSE 'adjustment' END`

export async function hasWalletEntry(db: Queryable, scope: Scope, id: string): Promise<boolean> {
  const found = await db.sql`SELECT id FROM ledger_entries WHERE set_id = ${id} AND account_id = (${accountOf(scope)})`
  return found.length > 0
}

/** Returns the balance after the last entry before `time`, or the current balance if `time` is null. */
export async function balanceBefore(db: Queryable, scope: Scope, time: string | null): Promise<bigint> {
  const [last] = await db.sql<{ balanceMicroUsdc: bigint }>`SELECT entry.balance_micro_usdc
    FROM ledger_entries entry JOIN ledger_sets ledger_set ON ledger_set.id = entry.set_id
    WHERE entry.account_id = (${accountOf(scope)})
      AND (${time}::timestamptz IS NULL OR ledger_set.created_at < ${time})
    ORDER BY entry.id DESC LIMIT 1`
  return last?.balanceMicroUsdc ?? 0n
}

function accountOf({ partnerId, environment }: Scope): Sql {
  return sql`SELECT account.id FROM wallets JOIN ledger_accounts account ON account.wallet_id = wallets.id
  WHERE wallets.partner_id = ${partnerId} AND wallets.environment = ${environment} AND account.kind = 'wallet'
    AND account.currency = 'USDC'`
}

const largestId = sql`9223372036854775807`

/** Returns the ID of the last entry in the wallet's account, or null if there is none. */
export async function lastEntryOf(db: Queryable, walletId: string): Promise<bigint | null> {
  const [row] = await db.sql<{
    id: bigint | null
  }>`SELECT max(id) AS id FROM ledger_entries WHERE account_id = ${usdcAccountOf(walletId)}`
  return row?.id ?? null
}

export async function hasDepositSince(
  db: Queryable,
  { walletId, after, amountMicroUsdc }: { walletId: string; after: bigint | null; amountMicroUsdc: bigint },
): Promise<boolean> {
  const found =
    await db.sql`SELECT entry.id FROM ledger_entries entry JOIN ledger_sets ledger_set ON ledger_set.id = entry.set_id
    WHERE entry.account_id = ${usdcAccountOf(walletId)} AND entry.id > coalesce(${after}::bigint, 0)
      AND entry.amount_micro_usdc = ${amountMicroUsdc} AND ledger_set.cause = 'deposit' LIMIT 1`
  return found.length > 0
}

function usdcAccountOf(walletId: string): Sql {
  return sql`(SELECT id FROM ledger_accounts WHERE wallet_id = ${walletId} AND kind = 'wallet' AND currency = 'USDC')`
}
