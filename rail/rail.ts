// The interface to a bank.

import type { Reason } from '../domain/partners/verification'
import type { RecipientType } from '../domain/payouts/payout'
import type { BankRate } from '../domain/rate-check'

/**
 * A refusal is a value; failures throw RailUnavailable. The rail does not retry: the caller knows how often
 * it may, and retries under the same key.
 */
export interface Rail {
  /** The bank's current rate, unchecked. Throws RailUnavailable if the bank does not answer. */
  rate(): Promise<BankRate>

  openCustomer(customer: CustomerToOpen): Promise<OpenedCustomer>
  /** The customer with this email, or null. */
  findCustomer(email: string): Promise<Verification | null>
  verification(verificationRef: string): Promise<Verification>

  createWallet(wallet: { customerRef: string; chain: string; key: string }): Promise<NewWallet>
  /** The wallets of one customer, oldest first. */
  wallets(customerRef: string): Promise<NewWallet[]>
  wallet(wallet: WalletRefs): Promise<WalletBalance>
  /** The deposit address for USDC, created on first use. */
  depositAddress(wallet: WalletRefs & { chain: string; key: string }): Promise<string>
  /** The bank account whose GBP arrive in the wallet as USDC, created on first use. */
  bankFunding(wallet: WalletRefs & { chain: string; key: string }): Promise<BankFunding>
  /** Oldest first: all movements after the one with the ID `after`, or all if that is null. */
  walletHistory(wallet: WalletRefs & { after: string | null }): Promise<HistoryRow[]>
  /** The refund of a transfer that was created after `since`; null while the history has none. */
  findRefund(refund: WalletRefs & { transferRef: string; since: Date }): Promise<Refund | null>

  /** Moves no money, so a lost response is `unavailable`: retry under the same key. */
  registerRecipient(recipient: RecipientToRegister): Promise<Registered>

  /** The bytes to store before the first call. Deterministic for the same order. */
  transferBody(order: TransferOrder): string
  submit(transfer: TransferToSubmit): Promise<Submitted>
  transfer(transferRef: string): Promise<Transfer>
  /** The payout that a transfer names. Null if it names none, or if the bank has no such transfer. */
  payoutOf(transferRef: string): Promise<string | null>
  findTransfer(wanted: WalletRefs & { payoutId: string; since: Date }): Promise<FoundTransfer>
  changedSince(at: Date): AsyncIterable<ChangedTransfer>
  /** All transfers out of a wallet, including those that are not payouts; without a limit if `since` is null. */
  transfersSince(listed: WalletRefs & { since: Date | null }): Promise<ListedTransfer[]>

  registerWebhook(webhook: { url: string; key: string }): Promise<{ webhookRef: string; publicKey: string }>
  /** Enables the webhook, which the bank may have disabled. Idempotent. `absent`: the bank does not have it. */
  enableWebhook(webhookRef: string): Promise<'enabled' | 'absent'>
  /** Disables the webhook. Idempotent. */
  disableWebhook(webhookRef: string): Promise<void>
}

export interface CustomerToOpen {
  readonly legalName: string
  readonly email: string
  /** Where the bank's pages redirect at the end. */
  readonly redirectUrl: string | null
  readonly key: string
}

export type OpenedCustomer =
  | { readonly outcome: 'opened'; readonly verification: Verification }
  /** A permanent refusal, for example of a known email or an unacceptable name. */
  | { readonly outcome: 'refused'; readonly code: string }

export interface Verification {
  readonly verificationRef: string
  readonly customerRef: string | null
  /** The bank's own status. */
  readonly providerStatus: string
  readonly termsAccepted: boolean
  /** Whether the bank allows this customer to pay GBP. The status alone does not imply it. */
  readonly paysGbp: boolean
  readonly continueUrl: string | null
  readonly termsUrl: string | null
  /** The reasons of a rejection. */
  readonly reasons: readonly Reason[]
}

export interface WalletRefs {
  readonly customerRef: string
  readonly walletRef: string
}

export interface NewWallet {
  readonly walletRef: string
  readonly chain: string
  readonly address: string | null
}

export interface WalletBalance {
  readonly usdcMicro: bigint
  /** Each transfer of this wallet must say how its holder was authenticated. */
  readonly initiationRequired: boolean
}

export interface BankFunding {
  readonly fundingRef: string
  readonly sortCode: string
  readonly accountNumber: string
  readonly holderName: string
  readonly bankName: string
}

export interface WalletMovement {
  readonly id: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly amountMicroUsdc: bigint
  readonly transferRef: string | null
  readonly at: Date
}

/** An unreadable movement: another currency, an unknown type or an invalid amount. */
interface UnreadableMovement {
  readonly id: string
  readonly kind: 'unreadable'
  /** The first field that could not be read. */
  readonly field: string
  /** Its declared type. */
  readonly looksLike: 'deposit' | 'withdrawal' | null
  readonly at: Date | null
}

export type HistoryRow = WalletMovement | UnreadableMovement

/** The time of the newest movement; -Infinity if there is none. A history is too long to be spread into Math.max. */
export function newestOf(history: readonly Pick<HistoryRow, 'at'>[]): number {
  return history.reduce((newest, { at }) => Math.max(newest, at?.getTime() ?? -Infinity), -Infinity)
}

export interface Refund {
  readonly amountMicroUsdc: bigint
  /** The bank's ID of the movement; null if the bank keeps no history. */
  readonly movementRef: string | null
}

export interface BankRecipient {
  readonly type: RecipientType
  readonly firstName: string
  readonly lastName: string
  readonly address: BankRecipientAddress
  readonly bankName: string
  readonly sortCode: string
  readonly accountNumber: string
}

export interface BankRecipientAddress {
  readonly line1: string
  readonly line2: string | null
  readonly city: string
  readonly postalCode: string
  /** The county; if null, the town is used. */
  readonly region: string | null
}

export interface RecipientToRegister {
  readonly customerRef: string
  readonly recipient: BankRecipient
  readonly key: string
  /** The deadline for all requests of the operation together. */
  readonly endBy?: Date
}

export type Registered =
  | { readonly outcome: 'registered'; readonly recipientRef: string }
  | ({ readonly outcome: 'rejected'; readonly reason: string } & Failed)
  | ({
      readonly outcome: 'unavailable'
      /** `misconfigured`: our key, a feature or a limit at the bank. Waiting does not help. */
      readonly why: 'busy' | 'unavailable' | 'misconfigured'
      readonly retryAfterMs: number | null
    } & Failed)

/** Every response that is not a success. */
interface Failed {
  /** The bank's status and code, or what became of the connection, in fixed words: `HTTP 500`, `timeout`. */
  readonly cause: string
}

export interface TransferOrder extends WalletRefs {
  readonly payoutId: string
  readonly recipientRef: string
  readonly amountPence: bigint
  readonly sendsMicroUsdc: bigint
  readonly reference: string | null
}

export interface TransferToSubmit {
  readonly key: string
  readonly body: string
  readonly call: SubmitCall
  /** As for a recipient. A call aborted by the deadline has an unknown outcome. */
  readonly endBy?: Date
}

/** `first`: every earlier call under this bank key provably sent nothing. Only then can a response prove it again. */
export type SubmitCall = 'first' | 'repeat'

export type Submitted = { readonly outcome: 'accepted'; readonly transfer: Transfer } | (NotAccepted & Failed)

export type NotAccepted =
  /** `quote`: the rate has moved since the quote, so the same amount may be accepted with a new quote. */
  | {
      readonly outcome: 'rejected'
      readonly who: 'recipient' | 'partner' | 'amount' | 'quote'
      readonly reason: string
    }
  | { readonly outcome: 'not-sent'; readonly why: NotSentWhy; readonly retryAfterMs: number | null }
  | { readonly outcome: 'unknown' }

export type NotSentWhy = 'insufficient' | 'busy' | 'unavailable' | 'misconfigured'

export type FoundTransfer =
  | { readonly outcome: 'found'; readonly transfer: Transfer }
  /** The bank has no such transfer: two complete lists agree, and every withdrawal belongs to another transfer. */
  | { readonly outcome: 'absent' }
  /** The bank's lists cannot be read far enough to decide. `transferRef` is a transfer that names our payout and is unreadable. */
  | { readonly outcome: 'incomplete'; readonly transferRef?: string }

/** An unknown state of the bank is `needs_people`, never success or failure. */
export type TransferStatus =
  | 'under_way'
  | 'delivered'
  | 'undeliverable'
  | 'returned'
  | 'refunded'
  | 'cancelled'
  | 'needs_people'

export interface ListedTransfer {
  readonly ref: string
  readonly payoutId: string | null
}

export interface Transfer {
  readonly ref: string
  readonly payoutId: string | null
  /** The bank's own status. */
  readonly state: string
  readonly status: TransferStatus
  readonly sentMicroUsdc: bigint
  /** Null if the transfer does not include it. Then the wallet's history has it, under this transfer's ref. */
  readonly refundedMicroUsdc: bigint | null
  /** Whether it ever reached the recipient's account. */
  readonly wasDelivered: boolean
  /** A stable code, then a sentence; null if nothing failed. */
  readonly reason: string | null
  /** Null if the bank states no cost above zero. */
  readonly networkCostMicropounds: bigint | null
  /** By the bank's clock; null if unknown. */
  readonly createdAt: Date | null
  readonly updatedAt: Date
}

/** An unreadable transfer comes with the payout that it pays in GBP from USDC; null if it is of another kind. */
export type ChangedTransfer =
  | { readonly outcome: 'read'; readonly transfer: Transfer }
  | { readonly outcome: 'unreadable'; readonly payoutId: string | null }

/** The content of a bank's event. Only a reason to poll, never booked. */
export type WebhookEvent =
  | {
      readonly outcome: 'event'
      readonly eventId: string
      readonly category: string
      /** The object to fetch: the transfer, customer, KYC link or wallet. */
      readonly objectRef: string
      readonly payoutId: string | null
      readonly state: string | null
    }
  | { readonly outcome: 'ignored' }

/** The groups of requests to the bank, for metrics and for the record of a payout. */
export const bankOperations = [
  'submit_transfer',
  'read_transfer',
  'list_transfers',
  'register_recipient',
  'read_wallet',
  'read_history',
  'set_up_wallet',
  'verify_customer',
  'read_rate',
  'set_webhook',
  'other',
] as const
export type BankOperation = (typeof bankOperations)[number]

/**
 * `unconnected`: there was no connection, so nothing was sent. `lost`: the connection broke after that. `refused`: any other status
 * than a success.
 */
export const bankCallOutcomes = [
  'ok',
  'refused',
  'unauthorized',
  'throttled',
  'server_error',
  'unreadable',
  'timeout',
  'lost',
  'unconnected',
] as const
export type BankCallOutcome = (typeof bankCallOutcomes)[number]

/** The histogram of their durations, in seconds. */
export const bankCallBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** One request that has ended. */
export interface BankCallSeen {
  readonly operation: BankOperation
  readonly outcome: BankCallOutcome
  readonly seconds: number
}

interface RailErrorOptions extends ErrorOptions {
  /** Why, in fixed words: `HTTP 500`, `timeout`. */
  readonly answer?: string
}

/** A failure at the bank. A refusal is a value instead. */
export class RailUnavailable extends Error {
  readonly answer: string

  constructor(call: string, { answer = 'no usable answer', ...options }: RailErrorOptions = {}) {
    super(`the bank did not answer: ${call} (${answer})`, options)
    this.name = 'RailUnavailable'
    this.answer = answer
  }
}

/** The bank answers, but rejects this request or returns an unreadable response. Other requests may succeed. */
export class RailRefused extends RailUnavailable {
  constructor(call: string, options?: RailErrorOptions) {
    super(call, options)
    this.message = `the bank gave no usable answer: ${call} (${this.answer})`
    this.name = 'RailRefused'
  }
}

/** The list is too long to read. Retrying does not help. */
export class ListTooLong extends RailRefused {
  constructor(call: string) {
    super(call, { answer: 'list too long' })
    this.message = `the bank's list is too long to be read: ${call}`
    this.name = 'ListTooLong'
  }
}

/** An event without a valid, recent signature. A 400 makes the bank retry with a new signature. */
export class BadSignature extends Error {
  constructor(why: string) {
    super(`the bank's signature does not hold: ${why}`)
    this.name = 'BadSignature'
  }
}
