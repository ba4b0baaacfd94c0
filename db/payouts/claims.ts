// A payout's first moment: the row that an Idempotency-Key stands for is claimed, joined or found to be taken.
import { assert } from '../../domain/assert'
import type { Environment, RailName } from '../../domain/environment'
import type { CreatedVia } from '../../domain/payouts/payout'
import type { Quote } from '../../domain/payouts/quote'
import type { Queryable, Statement } from '../database'
import {
  type Caller,
  type CallerRow,
  callerColumns,
  callerFrom,
  callerTables,
  heldKey,
  isTheCaller,
} from '../sign-in/callers'
import type { Fingerprint } from './fingerprint'
import { bigintFrom, bytesFrom, dateOrNull, type InJson, inOneText } from './one-text'
import { type PayoutRow, payoutColumns, payoutFrom } from './payouts'
import { isDisputed, isPassing } from './steps'

export interface Claim {
  /** Of the released row that is claimed again, or a new one. */
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
  /** The API key that pays. Null where the transaction holds the rights of a person (`holdCaller`), or an operator pays. */
  readonly keyId: string | null
  readonly quote: Quote
  readonly recipientName: string
  readonly accountLast4: string
  readonly accountHash: { readonly keyId: string; readonly hash: Buffer }
  readonly sealedRecipient: { readonly keyId: string; readonly sealed: Buffer }
  readonly bankKey: string
  readonly requestId: string | null
  /** The key or member that pays in live, whose first payout the admins are mailed about. Null: none is reported. */
  readonly payerId: string | null
  readonly at: Date
}

/** What is already stored under a key, for who has to answer it. */
export interface ClaimedRow extends PayoutRow {
  readonly attempt: number
  readonly gbpPerUsdNano: bigint
  readonly fingerprint: Fingerprint
  readonly verdict: string | null
  readonly verdictDetails: Readonly<Record<string, string>> | null
  readonly verdictAt: Date | null
  readonly answeredAt: Date | null
  readonly releasedAt: Date | null
  /** The bank may have sent what we took back: the key is not claimed again before people have looked. */
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

/** Why a caller who was let in may not pay any more. */
export type RefusedClaim = 'partner_not_active' | 'unauthorized' | 'verification_required'

/**
 * Null when the Idempotency-Key is taken by a row that is not released, or the wallet's rail has changed: look again. A partner
 * suspended, an API key revoked or a verification withdrawn since the caller was let in claims nothing, whether or not the
 * Idempotency-Key is taken.
 */
export async function claimPayout(db: Queryable, claim: Claim): Promise<Claimed | RefusedClaim | null> {
  const { quote, fingerprint, accountHash, sealedRecipient } = claim
  const [row] = await db.query<ClaimOutcome>(insertClaim, [
    claim.payoutId,
    claim.partnerId,
    claim.environment,
    claim.walletId,
    claim.rail,
    claim.idempotencyKey,
    fingerprint.whole,
    fingerprint.keyId,
    JSON.stringify(fingerprint.fields),
    claim.reference,
    claim.country,
    claim.createdVia,
    claim.createdBy,
    quote.amountPence,
    quote.feePence,
    quote.inTransferPence,
    quote.walletSendsMicroUsdc,
    quote.gbpPerUsdNano,
    claim.recipientName,
    claim.accountLast4,
    accountHash.hash,
    accountHash.keyId,
    claim.bankKey,
    claim.at,
    sealedRecipient.keyId,
    sealedRecipient.sealed,
    claim.requestId,
    claim.payerId,
    claim.keyId,
  ])
  assert(row !== undefined, 'who claims must be a partner')
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
  const values = [partnerId, environment, idempotencyKey]
  const [row] = await db.query<{ found: InJson<ClaimedColumns> }>(selectClaim, values)
  return row ? claimFrom(row.found) : null
}

/** Who calls and what is stored under their key, in one statement: a repeated request costs no other. */
export async function findCallerAndClaim(
  db: Queryable,
  digest: Buffer,
  idempotencyKey: string,
): Promise<{ caller: Caller; claim: ClaimedRow | null } | null> {
  const [row] = await db.query<{ found: CallerRow & { claim: InJson<ClaimedColumns> | null } }>(selectWithCaller, [
    digest,
    idempotencyKey,
  ])
  if (row === undefined) return null
  const { claim } = row.found
  return { caller: callerFrom(row.found), claim: claim && claimFrom(claim) }
}

interface ClaimedColumns extends Omit<ClaimedRow, 'fingerprint'> {
  readonly whole: Buffer
  readonly fingerprintKeyId: string
  readonly fields: Readonly<Record<string, string>>
}

function claimFrom(told: InJson<ClaimedColumns>): ClaimedRow {
  const { whole, fingerprintKeyId, fields, ...claim } = told
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

// The wallet's row is held for a moment, so that a sandbox is not connected to its bank between the quote and the claim.
const insertClaim: Statement = {
  name: 'payout-claim',
  text: `
    WITH ${heldKey('$2', '$29')}, caller AS (
      SELECT status = 'active' AS is_active, $29::uuid IS NULL OR EXISTS (SELECT FROM held_key) AS is_held,
        $29::uuid IS NULL OR $3 = 'sandbox' OR verification_status = 'approved' AS is_verified
      FROM partner
    ), wallet AS (
      SELECT id, rail, customer_ref FROM wallets
      WHERE id = $4 AND rail = $5 AND (SELECT is_active AND is_held AND is_verified FROM caller) FOR KEY SHARE
    ), claimed AS (
      INSERT INTO payouts (id, partner_id, environment, wallet_id, rail, customer_ref, idempotency_key, fingerprint,
        fingerprint_key_id, field_fingerprints, reference, country, created_via, created_by, amount_pence, fee_pence,
        fee_in_transfer_pence, wallet_sends_micro_usdc, gbp_per_usd_nano, recipient_name, account_last4, account_hash,
        account_hash_key_id, bank_key, request_id, created_at, updated_at)
      SELECT $1, $2, $3, wallet.id, wallet.rail, wallet.customer_ref, $6, $7, $8, $9::jsonb, $10, $11, $12, $13, $14,
        $15, $16, $17, $18, $19, $20, $21, $22, $23, $27, $24, $24
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
        bank_key = excluded.bank_key, request_id = excluded.request_id, created_at = excluded.created_at, updated_at = excluded.updated_at,
        status = 'pending', failure_reason = NULL, bank_body = NULL, transfer_ref = NULL, transfer_state = NULL,
        submit_started_at = NULL, verdict = NULL, verdict_at = NULL, verdict_details = NULL, released_at = NULL,
        attention = CASE WHEN ${isPassing('payouts.attention')} THEN NULL ELSE payouts.attention END
      WHERE payouts.released_at IS NOT NULL AND payouts.id = excluded.id AND NOT ${isDisputed('payouts.attention')}
      RETURNING id, attempt
    ), sealed AS (
      INSERT INTO sealed_recipients (payout_id, key_id, sealed) SELECT id, $25, $26 FROM claimed
      ON CONFLICT (payout_id) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed
    ), told AS (
      INSERT INTO payout_events (payout_id, at, kind, status, made_by) SELECT id, $24, 'requested', 'pending', $13 FROM claimed
    ), first_of_payer AS (
      INSERT INTO notices (partner_id, environment, kind, about, at, payer_id)
      SELECT $2, $3, 'first_payout', id::text, $24, $28::uuid FROM claimed
      WHERE $3 = 'live' AND $28::uuid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM notices WHERE payer_id = $28::uuid)
      ON CONFLICT (payer_id) WHERE payer_id IS NOT NULL DO NOTHING
    )
    SELECT caller.is_held AS "isHeld", caller.is_active AS "isActive", caller.is_verified AS "isVerified",
      claimed.id, claimed.attempt
    FROM caller LEFT JOIN claimed ON true`,
}

const claimColumns = `${payoutColumns}, attempt,
  gbp_per_usd_nano AS "gbpPerUsdNano", fingerprint AS whole, fingerprint_key_id AS "fingerprintKeyId",
  field_fingerprints AS fields, verdict, verdict_details AS "verdictDetails", verdict_at AS "verdictAt",
  answered_at AS "answeredAt", released_at AS "releasedAt", ${isDisputed('attention')} AS "isDisputed"`

const selectClaim: Statement = {
  name: 'payout-by-key',
  text: inOneText(`SELECT ${claimColumns} FROM payouts
    WHERE partner_id = $1 AND environment = $2 AND idempotency_key = $3`),
}

const selectWithCaller: Statement = {
  name: 'caller-and-payout-by-key',
  text: inOneText(`SELECT ${callerColumns}, claim FROM ${callerTables}
    LEFT JOIN LATERAL (SELECT ${claimColumns} FROM payouts
      WHERE partner_id = p.id AND environment = k.environment AND idempotency_key = $2) claim ON true
    WHERE ${isTheCaller}`),
}
