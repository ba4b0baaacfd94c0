// Live wallets: the customer at the bank and its verification, the wallet's connection, and low balances.
import { DatabaseError } from 'pg'
import { assert } from '../../domain/assert'
import type { Queryable, Tx } from '../database'
import { sql } from '../sql'

export interface LiveWallet {
  readonly walletId: string
  /**
   * The bank's IDs for the verification, customer, wallet and funding account. Each is null until the bank has created
   * the object.
   */
  readonly verificationRef: string | null
  readonly customerRef: string | null
  readonly walletRef: string | null
  readonly fundingRef: string | null
}

/** Returns null if the partner does not exist. */
export async function findLiveWallet(db: Queryable, partnerId: string): Promise<LiveWallet | null> {
  const [wallet] =
    await db.sql<LiveWallet>`SELECT ${columns} FROM wallets WHERE partner_id = ${partnerId} AND environment = 'live'`
  return wallet ?? null
}

/** Locks the wallet until the transaction ends. */
export async function lockLiveWallet(tx: Tx, partnerId: string): Promise<LiveWallet> {
  const [wallet] =
    await tx.sql<LiveWallet>`SELECT ${columns} FROM wallets WHERE partner_id = ${partnerId} AND environment = 'live' FOR UPDATE`
  assert(wallet !== undefined, 'a partner must have a live wallet')
  return wallet
}

/** Never replaces a stored ID. The bank may create the customer later than the verification. */
export async function storeLiveCustomer(
  tx: Tx,
  customer: { walletId: string; verificationRef: string; customerRef: string | null; at: Date },
): Promise<void> {
  const { walletId, verificationRef, customerRef, at } = customer
  await tx.sql`UPDATE wallets SET verification_ref = ${verificationRef}, customer_ref = ${customerRef}, updated_at = ${at}
    WHERE id = ${walletId} AND customer_ref IS NULL AND coalesce(verification_ref, ${verificationRef}) = ${verificationRef}`
}

/** Clears the IDs of a customer that cannot be used, unless the wallet is already connected. */
export async function clearLiveCustomer(tx: Tx, walletId: string, at: Date): Promise<void> {
  await tx.sql`UPDATE wallets SET verification_ref = NULL, customer_ref = NULL, updated_at = ${at}
    WHERE id = ${walletId} AND wallet_ref IS NULL`
}

/** Returns whether the error means that another partner's wallet already has the same bank ID. */
export function isRefOfAnotherPartner(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23505' && ownRefs.includes(error.constraint ?? '')
}

const ownRefs: readonly string[] = ['wallets_ref_unique', 'wallets_customer_unique', 'wallets_verification_unique']

export interface LiveConnection {
  readonly walletId: string
  readonly customerRef: string
  readonly walletRef: string
  /** The address for USDC deposits, which is not the wallet's own address. */
  readonly address: string
  readonly fundingRef: string
  readonly sortCode: string
  readonly accountNumber: string
  readonly holderName: string
  readonly bankName: string
  readonly at: Date
}

/** After this, the wallet's payouts go to the bank, and the wallet can receive money. */
export async function connectLiveWallet(tx: Tx, connection: LiveConnection): Promise<void> {
  const { walletId, customerRef, walletRef, address, at } = connection
  const { fundingRef, sortCode, accountNumber, holderName, bankName } = connection
  await tx.sql`UPDATE wallets SET customer_ref = ${customerRef}, wallet_ref = ${walletRef}, address = ${address},
      funding_ref = ${fundingRef}, funding_sort_code = ${sortCode}, funding_account_number = ${accountNumber},
      funding_holder_name = ${holderName}, funding_bank_name = ${bankName}, updated_at = ${at}
    WHERE id = ${walletId}`
}

/** Finds the partner by the bank's customer or verification ID. */
export async function findVerifiedPartner(db: Queryable, ref: string): Promise<string | null> {
  const [row] = await db.sql<{ partnerId: string }>`SELECT partner_id FROM wallets
    WHERE environment = 'live' AND verification_ref IS NOT NULL AND (customer_ref = ${ref} OR verification_ref = ${ref})`
  return row?.partnerId ?? null
}

/**
 * Lists the partners whose verification was requested, except closed ones. `after` is the last partner of the
 * previous page.
 */
export async function listPartnersToVerify(
  db: Queryable,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await db.sql<{
    partnerId: string
  }>`SELECT w.partner_id FROM wallets w JOIN partners p ON p.id = w.partner_id
    WHERE w.environment = 'live' AND p.status <> 'closed' AND (${after}::uuid IS NULL OR w.partner_id > ${after}::uuid)
      AND (w.verification_ref IS NOT NULL OR (p.verification_status = 'pending' AND w.wallet_ref IS NULL))
    ORDER BY w.partner_id LIMIT ${limit}`
  return rows.map(({ partnerId }) => partnerId)
}

const columns = sql`id AS wallet_id, verification_ref, customer_ref, wallet_ref, funding_ref`

/**
 * Adds a notice, with the balance in micro-USDC, for each wallet that fell below its partner's low-balance limit.
 * Returns the number of notices.
 */
export async function reportLowBalances(db: Queryable, { at, limit }: { at: Date; limit: number }): Promise<number> {
  // Skips a locked wallet, because its money is moving right now. The next run checks it.
  const [row] = await db.sql<{ count: number }>`WITH low AS (
      SELECT wallets.id FROM wallets JOIN partners ON partners.id = wallets.partner_id
      WHERE wallets.environment = 'live' AND wallets.wallet_ref IS NOT NULL AND partners.status <> 'closed'
        AND wallets.low_balance_told_at IS NULL AND wallets.balance_micro_usdc < partners.low_balance_micro_usdc
      ORDER BY wallets.id LIMIT ${limit} FOR NO KEY UPDATE OF wallets SKIP LOCKED
    ), marked AS (
      UPDATE wallets SET low_balance_told_at = ${at} FROM low WHERE wallets.id = low.id
      RETURNING wallets.partner_id, wallets.environment, wallets.balance_micro_usdc
    ), noted AS (
      INSERT INTO notices (partner_id, environment, kind, about, at)
      SELECT partner_id, environment, 'low_balance', balance_micro_usdc::text, ${at} FROM marked RETURNING id
    )
    SELECT count(*)::integer AS count FROM noted`
  return row?.count ?? 0
}

/** Allows new notices for wallets that are no longer below the limit. Returns the number of wallets. */
export async function clearLowBalances(db: Queryable): Promise<number> {
  const [row] = await db.sql<{ count: number }>`WITH back AS (
      UPDATE wallets SET low_balance_told_at = NULL FROM partners
      WHERE wallets.low_balance_told_at IS NOT NULL AND partners.id = wallets.partner_id
        AND (partners.low_balance_micro_usdc IS NULL OR wallets.balance_micro_usdc >= partners.low_balance_micro_usdc)
      RETURNING wallets.id
    )
    SELECT count(*)::integer AS count FROM back`
  return row?.count ?? 0
}
