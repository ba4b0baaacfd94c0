// The table of payouts: the row that decides what may still happen to the money (design §3).
import { EntitySchema } from 'typeorm'
import type { Environment, RailName } from '../../../domain/environment'
import type { CreatedVia, PayoutStatus } from '../../../domain/payouts/payout'
import { bigint, bytes, id, idOf, integer, orNull, text, time, uuid, withDefault } from '../../columns'

export interface StoredPayout {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly walletId: string
  readonly rail: RailName
  readonly idempotencyKey: string
  /** Grows only when a released row is claimed again. */
  readonly attempt: number
  readonly fingerprint: Buffer
  readonly fingerprintKeyId: string
  readonly fieldFingerprints: Readonly<Record<string, string>>
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly reference: string | null
  readonly country: string
  readonly createdVia: CreatedVia
  readonly createdBy: string
  readonly amountPence: bigint
  readonly feePence: bigint
  readonly feeInTransferPence: bigint
  readonly walletSendsMicroUsdc: bigint
  readonly gbpPerUsdNano: bigint
  readonly recipientName: string | null
  readonly accountLast4: string | null
  readonly accountHash: Buffer | null
  readonly accountHashKeyId: string | null
  readonly bankKey: string
  /** How often the bank key was replaced after a call that provably sent nothing. */
  readonly bankKeyRenewals?: number
  readonly bankBody: string | null
  readonly transferRef: string | null
  readonly transferState: string | null
  readonly submitStartedAt: Date | null
  readonly verdict: string | null
  readonly verdictAt: Date | null
  readonly verdictDetails?: Readonly<Record<string, string>> | null
  readonly answeredAt: Date | null
  readonly releasedAt: Date | null
  readonly completedAt: Date | null
  readonly returnedAt: Date | null
  /** Nothing is left to do, neither at the bank nor in the ledger. */
  readonly closedAt?: Date | null
  /** Why it waits for people. */
  readonly attention?: string | null
  /** The wallet's holder at the bank when it was claimed. */
  readonly customerRef?: string | null
  readonly requestId?: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

const readable = 'released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)'

export const payout = new EntitySchema<StoredPayout>({
  name: 'Payout',
  tableName: 'payouts',
  columns: {
    id,
    partnerId: idOf('Partner'),
    environment: text,
    walletId: idOf('Wallet'),
    rail: text,
    idempotencyKey: text,
    attempt: withDefault(integer, 1),
    fingerprint: bytes,
    fingerprintKeyId: text,
    fieldFingerprints: { type: 'jsonb' },
    status: withDefault(text, 'pending'),
    failureReason: orNull(text),
    reference: orNull(text),
    country: text,
    createdVia: text,
    createdBy: text,
    amountPence: bigint,
    feePence: bigint,
    feeInTransferPence: bigint,
    walletSendsMicroUsdc: bigint,
    gbpPerUsdNano: bigint,
    recipientName: orNull(text),
    accountLast4: orNull(text),
    accountHash: orNull(bytes),
    accountHashKeyId: orNull(text),
    bankKey: uuid,
    bankKeyRenewals: withDefault(integer, 0),
    bankBody: orNull(text),
    transferRef: orNull(text),
    transferState: orNull(text),
    submitStartedAt: orNull(time),
    verdict: orNull(text),
    verdictAt: orNull(time),
    verdictDetails: orNull({ type: 'jsonb' }),
    answeredAt: orNull(time),
    releasedAt: orNull(time),
    completedAt: orNull(time),
    returnedAt: orNull(time),
    closedAt: orNull(time),
    attention: orNull(text),
    customerRef: orNull(text),
    requestId: orNull(text),
    createdAt: time,
    updatedAt: time,
  },
  uniques: [
    { name: 'payouts_key_unique', columns: ['partnerId', 'environment', 'idempotencyKey'] },
    { name: 'payouts_bank_key_unique', columns: ['bankKey'] },
  ],
  indices: [
    { name: 'payouts_list_index', columns: ['partnerId', 'environment', 'createdAt', 'id'], where: readable },
    { name: 'payouts_updated_index', columns: ['partnerId', 'environment', 'updatedAt'], where: readable },
    {
      name: 'payouts_completed_index',
      columns: ['partnerId', 'environment', 'completedAt'],
      where: 'completed_at IS NOT NULL',
    },
    {
      name: 'payouts_unclosed_index',
      columns: ['createdAt'],
      where: 'released_at IS NULL AND closed_at IS NULL',
    },
    { name: 'payouts_wallet_index', columns: ['walletId'] },
    { name: 'payouts_attention_index', columns: ['updatedAt'], where: 'attention IS NOT NULL' },
    {
      name: 'payouts_reference_index',
      columns: ['partnerId', 'environment', 'reference', 'createdAt', 'id'],
      where: `${readable} AND reference IS NOT NULL`,
    },
    {
      name: 'payouts_last4_index',
      columns: ['partnerId', 'environment', 'accountLast4', 'createdAt', 'id'],
      where: readable,
    },
    {
      name: 'payouts_status_index',
      columns: ['partnerId', 'environment', 'status', 'createdAt', 'id'],
      where: `${readable} AND status <> 'completed'`,
    },
    {
      name: 'payouts_account_index',
      columns: ['partnerId', 'environment', 'accountHash', 'createdAt', 'id'],
      where: `${readable} AND account_hash IS NOT NULL`,
    },
    // Over an expression, which TypeORM cannot describe (db/migrations/020-029/25-search-index.ts).
    { name: 'payouts_search_index', columns: ['partnerId'], synchronize: false },
    {
      name: 'payouts_transfer_unique',
      columns: ['rail', 'transferRef'],
      unique: true,
      where: 'transfer_ref IS NOT NULL',
    },
  ],
  checks: [
    { name: 'payouts_environment_check', expression: `environment IN ('sandbox', 'live')` },
    { name: 'payouts_rail_check', expression: `rail IN ('provider_production', 'provider_sandbox', 'simulated')` },
    { name: 'payouts_key_check', expression: `idempotency_key ~ '^[A-Za-z0-9_:.-]{8,100}$'` },
    { name: 'payouts_attempt_check', expression: 'attempt >= 1' },
    {
      name: 'payouts_status_check',
      expression: `status IN ('pending', 'processing', 'completed', 'failed', 'cancelled', 'returned')`,
    },
    { name: 'payouts_failure_check', expression: `status <> 'failed' OR failure_reason IS NOT NULL` },
    { name: 'payouts_completed_check', expression: `status <> 'completed' OR completed_at IS NOT NULL` },
    { name: 'payouts_returned_check', expression: `status <> 'returned' OR returned_at IS NOT NULL` },
    { name: 'payouts_released_check', expression: 'released_at IS NULL OR answered_at IS NULL' },
    { name: 'payouts_released_verdict_check', expression: 'released_at IS NULL OR verdict IS NOT NULL' },
    {
      name: 'payouts_unknown_check',
      expression: `verdict IS DISTINCT FROM 'unknown' OR submit_started_at IS NOT NULL`,
    },
    { name: 'payouts_reference_check', expression: 'char_length(reference) <= 120' },
    { name: 'payouts_country_check', expression: `country = 'GB'` },
    { name: 'payouts_created_via_check', expression: `created_via IN ('api', 'dashboard')` },
    { name: 'payouts_amount_check', expression: 'amount_pence BETWEEN 100 AND 2000000' },
    {
      name: 'payouts_fee_check',
      expression: 'fee_in_transfer_pence >= 0 AND fee_in_transfer_pence <= fee_pence',
    },
    {
      name: 'payouts_sends_check',
      expression: 'wallet_sends_micro_usdc > 0 AND wallet_sends_micro_usdc % 10000 = 0',
    },
    { name: 'payouts_rate_check', expression: 'gbp_per_usd_nano > 0' },
    { name: 'payouts_last4_check', expression: `account_last4 ~ '^[0-9]{4}$'` },
  ],
})
