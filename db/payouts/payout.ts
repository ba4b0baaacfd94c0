// The payouts table. Each decision about a payout's money is a conditional update of its row.
import type { Environment, RailName } from '../../domain/environment'
import type { Country } from '../../domain/limits'
import type { CreatedVia, PayoutStatus } from '../../domain/payouts/payout'
import { bigint, bytes, entity, id, idOf, integer, orNull, text, time, uuid, withDefault } from '../columns'

export interface StoredPayout {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly walletId: string
  readonly rail: RailName
  readonly idempotencyKey: string
  /** Incremented only when a released row is claimed again. */
  readonly attempt: number
  readonly fingerprint: Buffer
  readonly fingerprintKeyId: string
  readonly fieldFingerprints: Readonly<Record<string, string>>
  readonly status: PayoutStatus
  readonly failureReason: string | null
  readonly reference: string | null
  readonly country: Country
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
  /** How many times the bank key was replaced after a call that provably moved no money. */
  readonly bankKeyRenewals: number
  readonly bankBody: string | null
  readonly transferRef: string | null
  readonly transferState: string | null
  readonly submitStartedAt: Date | null
  readonly verdict: string | null
  readonly verdictAt: Date | null
  readonly verdictDetails: Readonly<Record<string, string>> | null
  readonly answeredAt: Date | null
  readonly releasedAt: Date | null
  /** Remains set if the payout is returned later. */
  readonly completedAt: Date | null
  readonly returnedAt: Date | null
  /** The bank's charge for the transfer, if the bank reports one. */
  readonly networkCostMicropounds: bigint | null
  /** Set when no work is left at the bank, in the ledger or in billing. */
  readonly closedAt: Date | null
  /** A code for the reason why the payout needs an operator. */
  readonly attention: string | null
  /** The wallet's customer at the bank at the time of the claim. */
  readonly customerRef: string | null
  readonly requestId: string | null
  /** The start of this attempt. The attempt made no bank call before this time. */
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const payout = entity<StoredPayout>('Payout', 'payouts', {
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
  networkCostMicropounds: orNull(bigint),
  closedAt: orNull(time),
  attention: orNull(text),
  customerRef: orNull(text),
  requestId: orNull(text),
  createdAt: time,
  updatedAt: time,
})
