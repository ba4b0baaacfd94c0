// The types of all stored objects: one per collection, as written to the journal.
import type { Cents, MicroUsdc, Pence, RateNano } from '../money'

export type Environment = 'sandbox' | 'live'
export const environments: readonly Environment[] = ['sandbox', 'live']

export interface Customer {
  readonly id: string
  readonly type: 'individual' | 'business'
  readonly fullName: string
  readonly email: string
  readonly kycStatus: string
  readonly tosStatus: 'pending' | 'approved'
  readonly rejections: readonly Rejection[]
  readonly endorsements: readonly Endorsement[]
  readonly createdAt: number
  readonly updatedAt: number
}

interface Rejection {
  readonly reason: string
  readonly developerReason: string
  readonly at: number
}

export interface Endorsement {
  readonly name: string
  readonly status: string
}

export interface KycLink {
  readonly id: string
  readonly customerId: string
  readonly redirectUri: string | null
  readonly createdAt: number
}

export interface Wallet {
  readonly id: string
  readonly customerId: string
  readonly chain: string
  readonly address: string
  readonly balanceMicro: MicroUsdc
  readonly createdAt: number
  readonly updatedAt: number
}

/** The source or destination of a movement in a wallet's history. */
export interface PaymentRoute {
  readonly type: 'float' | 'simulated_deposit' | 'transfer' | 'virtual_account' | 'liquidation_address'
  readonly objectId: string | null
}

export interface HistoryRow {
  readonly id: string
  readonly walletId: string
  readonly customerId: string
  readonly type: 'deposit' | 'withdrawal'
  readonly amountMicro: MicroUsdc
  readonly availableMicro: MicroUsdc
  readonly route: PaymentRoute
  readonly createdAt: number
}

export interface ExternalAccount {
  readonly id: string
  readonly customerId: string
  readonly ownerName: string
  readonly ownerType: 'individual' | 'business'
  readonly firstName: string | null
  readonly lastName: string | null
  readonly businessName: string | null
  readonly bankName: string | null
  readonly sortCode: string
  readonly accountNumber: string
  readonly deactivationReason: string | null
  readonly verification: Verification | null
  readonly createdAt: number
  readonly updatedAt: number
}

interface Verification {
  readonly requestedAt: number
  readonly completedAt: number
  readonly matchLevel: string
  readonly reasonCode: string
}

/** The planned next move of a transfer. It is stored, so that it survives a restart. */
export interface NextMove {
  readonly state: string
  readonly at: number
  readonly reason: string | null
  /** Whether the transfer stays in its new state after this move. */
  readonly last: 'yes' | 'no'
}

export interface Transfer {
  readonly id: string
  readonly customerId: string
  readonly walletId: string
  readonly externalAccountId: string
  readonly clientReferenceId: string | null
  readonly state: string
  readonly outputPence: Pence
  readonly sourceCents: Cents
  readonly developerFeeCents: Cents
  readonly rateNano: RateNano
  readonly reference: string | null
  readonly fromAddress: string
  readonly returnReason: string | null
  readonly refundReferenceId: string | null
  /**
   * When the money reached the recipient's account, even if it was returned later. Missing in journals from the first
   * release.
   */
  readonly deliveredAt?: number | null
  /** Fields that responses show instead of the usual ones, such as those of a wire transfer or a damaged row. */
  readonly shown?: Readonly<Record<string, unknown>>
  readonly next: NextMove | null
  readonly createdAt: number
  readonly updatedAt: number
}

export interface VirtualAccount {
  readonly id: string
  readonly customerId: string
  readonly walletId: string
  readonly chain: string
  readonly sortCode: string
  readonly accountNumber: string
  readonly holderName: string
  readonly createdAt: number
}

export interface LiquidationAddress {
  readonly id: string
  readonly customerId: string
  readonly walletId: string
  readonly chain: string
  readonly address: string
  readonly createdAt: number
}

/** One step of incoming money, by bank transfer (virtual account) or on chain (drain). */
export interface Activity {
  readonly id: string
  readonly sourceId: string
  readonly type: string
  readonly depositId: string
  readonly amount: string
  readonly currency: string
  readonly createdAt: number
}

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly status: 'disabled' | 'active' | 'deleted'
  readonly epoch: string
  readonly categories: readonly string[]
  readonly publicKey: string
  readonly privateKey: string
  readonly createdAt: number
}

export interface BankEvent {
  readonly id: string
  readonly objectId: string
  readonly sequence: number
  readonly category: string
  /** The fields that a webhook fault can match. */
  readonly about: Readonly<Record<string, string>>
  readonly body: string
  readonly createdAt: number
}

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly attempts: number
  readonly nextAt: number
  /** "overtaken": the event is held back until a later event about the same object is delivered. */
  readonly order: 'as it comes' | 'overtaken'
  readonly status: 'waiting' | 'over'
}

export interface DeliveryLog {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly attempt: number
  readonly status: number | null
  readonly outcome: string
  readonly createdAt: number
}

/** The first response for an Idempotency-Key. The key is also the ID of this record. */
interface Remembered {
  readonly id: string
  readonly fingerprint: string
  readonly status: number
  readonly body: string
  readonly createdAt: number
}

export interface Collections {
  customers: Customer
  kycLinks: KycLink
  wallets: Wallet
  history: HistoryRow
  externalAccounts: ExternalAccount
  transfers: Transfer
  virtualAccounts: VirtualAccount
  liquidationAddresses: LiquidationAddress
  activities: Activity
  webhooks: Webhook
  events: BankEvent
  deliveries: Delivery
  deliveryLogs: DeliveryLog
  remembered: Remembered
}

export type CollectionName = keyof Collections

/** The new version of one object. */
export type Put = { [Name in CollectionName]: readonly [Name, Collections[Name]] }[CollectionName]

/** One line of the journal: an atomic change. */
export interface Entry {
  readonly seq: number
  readonly at: number
  readonly environment: Environment
  readonly what: string
  readonly puts: readonly Put[]
}
