// Claims an Idempotency-Key by inserting its payout row, or finds the row that already holds the key.
import { assert } from '../../domain/assert'
import type { Environment, RailName } from '../../domain/environment'
import type { CreatedVia } from '../../domain/payouts/payout'
import type { Quote } from '../../domain/payouts/quote'
import type { Queryable } from '../database'
import { type Caller, holdKey } from '../sign-in/callers'
import { type Sql, sql } from '../sql'
import type { Fingerprint } from './fingerprint'
import { bigintFrom, bytesFrom, dateOrNull, findWithCaller, type InJson, inOneText } from './one-text'
import { type PayoutRow, payoutColumns, payoutFrom } from './payouts'
import { isDisputed, isTransientAttention } from './steps'

export interface Claim {
  /** The ID of the released row that is claimed again, or a new ID. */
  readonly payoutId: string
  readonly partnerId: string
  readonly environment: Environment
  readonly walletId: string
  readonly rail: RailName
  readonly idempotencyKey: string
  readonly fingerprint: Fingerprint
  readonly reference: string | null
  readonly country: string
  readonly createdVia: CreatedVia
  readonly createdBy: string
  /**
   * The API key that makes the payout. Null for an operator, and for a member whose rights `holdCaller` has locked in
   * this transaction.
   */
  readonly keyId: string | null
  readonly quote: Quote
  readonly recipientName: string
  readonly accountLast4: string
  readonly accountHash: { readonly keyId: string; readonly hash: Buffer }
  readonly sealedRecipient: { readonly keyId: string; readonly sealed: Buffer }
  readonly bankKey: string
  readonly requestId: string | null
  /** The API key or member that makes the payout. Its first live payout causes an email to admins. Null causes none. */
  readonly payerId: string | null
  readonly at: Date
}

/** The row already stored for an Idempotency-Key, with all the data needed to answer a repeated request. */
export interface ClaimedRow extends PayoutRow {
  readonly attempt: number
  readonly gbpPerUsdNano: bigint
  readonly fingerprint: Fingerprint
  readonly verdict: string | null
  readonly verdictDetails: Readonly<Record<string, string>> | null
  readonly verdictAt: Date | null
  readonly answeredAt: Date | null
  readonly releasedAt: Date | null
  /**
   * Whether the bank may have sent the money even though the debit was reversed. If so, an operator must decide before
   * the key can be claimed again.
   */
  readonly isDisputed: boolean
}

export interface IdempotencyKey {
  readonly partnerId: string
  readonly environment: Environment
  readonly idempotencyKey: string
}

export interface Claimed {
  readonly id: string
  readonly attempt: number
}

/** Why the claim refuses a caller that the API authenticated earlier in the request. */
type RefusedClaim = 'partner_not_active' | 'unauthorized' | 'verification_required'

/**
 * Returns null if an unreleased row holds the Idempotency-Key, or if the wallet's rail has changed. The caller then
 * repeats the lookup. Returns a refusal if, since authentication, the partner was suspended, the API key was revoked
 * or the verification was withdrawn.
 */
export async function claimPayout(db: Queryable, claim: Claim): Promise<Claimed | RefusedClaim | null> {
  const [row] = await db.run<ClaimOutcome>(insertClaim(claim))
  assert(row !== undefined, 'the claiming partner must exist')
  if (!row.isHeld) return 'unauthorized'
  if (!row.isActive) return 'partner_not_active'
  if (!row.isVerified) return 'verification_required'
  return row.id === null || row.attempt === null ? null : { id: row.id, attempt: row.attempt }
}

interface ClaimOutcome {
  readonly isHeld: boolean
  readonly isActive: boolean
  readonly isVerified: boolean
  readonly id: string | null
  readonly attempt: number | null
}

export async function findClaim(
  db: Queryable,
  { partnerId, environment, idempotencyKey }: IdempotencyKey,
): Promise<ClaimedRow | null> {
  const [row] = await db.run<{ found: InJson<ClaimedColumns> }>(
    inOneText(sql`SELECT ${claimColumns} FROM payouts
    WHERE partner_id = ${partnerId} AND environment = ${environment} AND idempotency_key = ${idempotencyKey}`),
  )
  return row ? claimFrom(row.found) : null
}

/**
 * Finds the caller and the row for their Idempotency-Key in one statement, so that a repeated request needs only one
 * query.
 */
export async function findCallerAndClaim(
  db: Queryable,
  digest: Buffer,
  idempotencyKey: string,
): Promise<{ caller: Caller; claim: ClaimedRow | null } | null> {
  const isWanted = sql`idempotency_key = ${idempotencyKey}`
  const found = await findWithCaller<ClaimedColumns>(db, digest, {
    columns: claimColumns,
    table: sql`payouts`,
    isWanted,
  })
  return found && { caller: found.caller, claim: found.row && claimFrom(found.row) }
}

interface ClaimedColumns extends Omit<ClaimedRow, 'fingerprint'> {
  readonly whole: Buffer
  readonly fingerprintKeyId: string
  readonly fields: Readonly<Record<string, string>>
}

function claimFrom(json: InJson<ClaimedColumns>): ClaimedRow {
  const { whole, fingerprintKeyId, fields, ...claim } = json
  return {
    ...claim,
    ...payoutFrom(claim),
    gbpPerUsdNano: bigintFrom(claim.gbpPerUsdNano),
    fingerprint: { whole: bytesFrom(whole), keyId: fingerprintKeyId, fields },
    verdictAt: dateOrNull(claim.verdictAt),
    answeredAt: dateOrNull(claim.answeredAt),
    releasedAt: dateOrNull(claim.releasedAt),
  }
}

// The wallet must still be on the quoted rail. The lock prevents a concurrent switch of its rail.
function insertClaim(claim: Claim): Sql {
  const { payoutId, partnerId, environment, keyId, payerId, quote, fingerprint, accountHash, sealedRecipient, at } =
    claim
  return sql`
    WITH ${holdKey(partnerId, keyId)}, caller AS (
      SELECT status = 'active' AS is_active, ${keyId}::uuid IS NULL OR EXISTS (SELECT FROM held_key) AS is_held,
        ${keyId}::uuid IS NULL OR ${environment} = 'sandbox' OR verification_status = 'approved' AS is_verified
      FROM partner
    ), wallet AS (
      SELECT id, rail, customer_ref FROM wallets
      WHERE id = ${claim.walletId} AND rail = ${claim.rail}
        AND (SELECT is_active AND is_held AND is_verified FROM caller) FOR KEY SHARE
    ), claimed AS (
      INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, customer_ref, idempotency_key, fingerprint,
        fingerprint_key_id, field_fingerprints, reference, country, created_via, created_by, amount_pence, fee_pence,
        fee_in_transfer_pence, wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, account_hash,
        account_hash_key_id, bank_key, request_id, created_at, updated_at)
      SELECT ${payoutId}, ${partnerId}, ${environment}, wallet.id, wallet.rail, wallet.customer_ref,
        ${claim.idempotencyKey}, ${fingerprint.whole}, ${fingerprint.keyId}, ${JSON.stringify(fingerprint.fields)}::jsonb,
        ${claim.reference}, ${claim.country}, ${claim.createdVia}, ${claim.createdBy}, ${quote.amountPence},
        ${quote.feePence}, ${quote.inTransferPence}, ${quote.walletSendsMicroUsdc}, ${quote.gbpPerUsdNano},
        ${claim.recipientName}, ${claim.accountLast4}, ${accountHash.hash}, ${accountHash.keyId}, ${claim.bankKey},
        ${claim.requestId}, ${at}, ${at}
      FROM wallet
      ON CONFLICT (partner_id, environment, idempotency_key) DO UPDATE SET
        attempt = payouts.attempt + 1, wallet_id = excluded.wallet_id, rail = excluded.rail,
        customer_ref = excluded.customer_ref, fingerprint = excluded.fingerprint,
        fingerprint_key_id = excluded.fingerprint_key_id, field_fingerprints = excluded.field_fingerprints,
        reference = excluded.reference, country = excluded.country, created_via = excluded.created_via,
        created_by = excluded.created_by, amount_pence = excluded.amount_pence, fee_pence = excluded.fee_pence,
        fee_in_transfer_pence = excluded.fee_in_transfer_pence,
        wallet_sends_micro_usdc = excluded.wallet_sends_micro_usdc, gbp_per_usd_nano = excluded.gbp_per_usd_nano,
        recipient_name = excluded.recipient_name, account_last4 = excluded.account_last4,
        account_hash = excluded.account_hash, account_hash_key_id = excluded.account_hash_key_id,
        bank_key = excluded.bank_key, request_id = excluded.request_id, created_at = excluded.created_at,
        updated_at = excluded.updated_at,
        status = 'pending', failure_reason = NULL, bank_body = NULL, transfer_ref = NULL, transfer_state = NULL,
        submit_started_at = NULL, verdict = NULL, verdict_at = NULL, verdict_details = NULL, released_at = NULL,
        attention = CASE WHEN ${isTransientAttention(sql`payouts.attention`)} THEN NULL ELSE payouts.attention END
      WHERE payouts.released_at IS NOT NULL AND payouts.id = excluded.id AND NOT ${isDisputed(sql`payouts.attention`)}
      RETURNING id, attempt
    ), sealed AS (
      INSERT INTO sealed_recipients (payout_id, key_id, sealed)
      SELECT id, ${sealedRecipient.keyId}, ${sealedRecipient.sealed} FROM claimed
      ON CONFLICT (payout_id) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed
    ), requested AS (
      INSERT INTO payout_events (payout_id, at, kind, status, made_by)
      SELECT id, ${at}, 'requested', 'pending', ${claim.createdBy} FROM claimed
    ), first_of_payer AS (
      INSERT INTO notices (partner_id, environment, kind, about, at, payer_id)
      SELECT ${partnerId}, ${environment}, 'first_payout', id::text, ${at}, ${payerId}::uuid FROM claimed
      WHERE ${environment} = 'live' AND ${payerId}::uuid IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM notices WHERE payer_id = ${payerId}::uuid)
      ON CONFLICT (payer_id) WHERE payer_id IS NOT NULL DO NOTHING
    )
    SELECT caller.is_held, caller.is_active, caller.is_verified, claimed.id, claimed.attempt
    FROM caller LEFT JOIN claimed ON true`
}

const claimColumns = sql`${payoutColumns}, attempt,
  gbp_per_usd_nano AS "gbpPerUsdNano", fingerprint AS whole, fingerprint_key_id AS "fingerprintKeyId",
  field_fingerprints AS fields, verdict, verdict_details AS "verdictDetails", verdict_at AS "verdictAt",
  answered_at AS "answeredAt", released_at AS "releasedAt", ${isDisputed(sql`attention`)} AS "isDisputed"`
