// The interface to a bank.

import type { Reason } from '../domain/partners/verification'
import type { RecipientType } from '../domain/payouts/payout'
import type { BankRate } from '../domain/rate-check'

/**
 * A refusal is returned as a value. A failure throws RailUnavailable. The rail does not retry, because only the caller
 * can decide how often to retry with the same key.
 */
export interface Rail {
  /** Returns the bank's current rate, unchecked. Throws RailUnavailable if the bank does not respond. */
  rate(): Promise<BankRate>

  openCustomer(customer: CustomerToOpen): Promise<OpenedCustomer>
  findCustomer(email: string): Promise<Verification | null>
  verification(verificationRef: string): Promise<Verification>

  createWallet(wallet: { customerRef: string; chain: string; key: string }): Promise<NewWallet>
  /** Lists the wallets of one customer, oldest first. */
  wallets(customerRef: string): Promise<NewWallet[]>
  wallet(wallet: WalletRefs): Promise<WalletBalance>
  /** Returns the deposit address for USDC. The first call creates it. */
  depositAddress(wallet: WalletRefs & { chain: string; key: string }): Promise<string>
  /** Returns the bank account for GBP deposits, which arrive in the wallet as USDC. The first call creates it. */
  bankFunding(wallet: WalletRefs & { chain: string; key: string }): Promise<BankFunding>
  /** Lists the movements after the one with the ID `after`, oldest first. Lists all movements if `after` is null. */
  walletHistory(wallet: WalletRefs & { after: string | null }): Promise<HistoryRow[]>
  /** Finds the refund of a transfer that was created after `since`. Returns null while the history has none. */
  findRefund(refund: WalletRefs & { transferRef: string; since: Date }): Promise<Refund | null>

  /**
   * Moves no money. If the response is lost, the result is `unavailable`, and the caller can retry with the same key.
   */
  registerRecipient(recipient: RecipientToRegister): Promise<Registered>

  /** Returns the bytes to store before the first call. The same order always produces the same bytes. */
  transferBody(order: TransferOrder): string
  submit(transfer: TransferToSubmit): Promise<Submitted>
  transfer(transferRef: string): Promise<Transfer>
  /** Returns the payout ID in a transfer, or null if there is none or the bank has no such transfer. */
  payoutOf(transferRef: string): Promise<string | null>
  findTransfer(wanted: WalletRefs & { payoutId: string; since: Date }): Promise<FoundTransfer>
  changedSince(at: Date): AsyncIterable<ChangedTransfer>
  /**
   * Lists the transfers out of a wallet since the given time, including those that are not payouts. Lists all if
   * `since` is null.
   */
  transfersSince(listed: WalletRefs & { since: Date | null }): Promise<ListedTransfer[]>

  registerWebhook(webhook: { url: string; key: string }): Promise<{ webhookRef: string; publicKey: string }>
  /** Enables a webhook that the bank may have disabled. Idempotent. Returns `absent` if the bank does not have it. */
  enableWebhook(webhookRef: string): Promise<'enabled' | 'absent'>
  /** Disables the webhook. Idempotent. */
  disableWebhook(webhookRef: string): Promise<void>
}

export interface CustomerToOpen {
  readonly legalName: string
  readonly email: string
  /** The page to which the bank redirects after the verification. */
  readonly redirectUrl: string | null
  readonly key: string
}

export type OpenedCustomer =
  | { readonly outcome: 'opened'; readonly verification: Verification }
  /**
   * The bank refuses permanently, for example because the email address is already in use or the name is not
   * acceptable.
   */
  | { readonly outcome: 'refused'; readonly code: string }

export interface Verification {
  readonly verificationRef: string
  readonly customerRef: string | null
  /** The bank's status, unchanged. */
  readonly providerStatus: string
  readonly termsAccepted: boolean
  /** Whether the bank allows this customer to pay GBP. The status alone does not show this. */
  readonly paysGbp: boolean
  readonly continueUrl: string | null
  readonly termsUrl: string | null
  /** The reasons for a rejection. */
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
  /** Whether each transfer from this wallet must state how its holder was authenticated. */
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

/** A movement that we cannot interpret, such as one in another currency or of an unknown type. */
interface UnreadableMovement {
  readonly id: string
  readonly kind: 'unreadable'
  /** The first field that could not be read. */
  readonly field: string
  /** The declared type, if it can be read. */
  readonly looksLike: 'deposit' | 'withdrawal' | null
  readonly at: Date | null
}

export type HistoryRow = WalletMovement | UnreadableMovement

/**
 * Returns the time of the newest movement, or -Infinity if there is none. A history can be too long to spread into
 * Math.max.
 */
export function newestOf(history: readonly Pick<HistoryRow, 'at'>[]): number {
  return history.reduce((newest, { at }) => Math.max(newest, at?.getTime() ?? -Infinity), -Infinity)
}

export interface Refund {
  readonly amountMicroUsdc: bigint
  /** The bank's ID for the movement. Null if the amount comes from the transfer and not from the history. */
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
  /** The county. Null if unknown. */
  readonly region: string | null
}

export interface RecipientToRegister {
  readonly customerRef: string
  readonly recipient: BankRecipient
  readonly key: string
  /** The deadline for all requests in the operation. */
  readonly endBy?: Date
}

export type Registered =
  | { readonly outcome: 'registered'; readonly recipientRef: string }
  | ({ readonly outcome: 'rejected'; readonly reason: string } & Failed)
  | ({
      readonly outcome: 'unavailable'
      /**
       * `misconfigured` means a problem with our key, or with a feature or a limit at the bank. Waiting does not
       * help.
       */
      readonly why: 'busy' | 'unavailable' | 'misconfigured'
      readonly retryAfterMs: number | null
    } & Failed)

/** Part of every result that is not a success. */
interface Failed {
  /** The bank's status and code, or the connection failure, as a fixed phrase: `HTTP 500`, `timeout`. */
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
  /** The deadline for all requests in the operation. A call that the deadline aborts has an unknown outcome. */
  readonly endBy?: Date
}

/**
 * `first` means that every earlier call with this bank key provably sent nothing. Only then can a response prove that
 * nothing was sent.
 */
export type SubmitCall = 'first' | 'repeat'

export type Submitted = { readonly outcome: 'accepted'; readonly transfer: Transfer } | (NotAccepted & Failed)

export type NotAccepted =
  /** `quote` means that the rate has moved since the quote. The bank may accept the same amount with a new quote. */
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
  /**
   * The bank's lists cannot be read far enough to decide. `transferRef` is an unreadable transfer with our payout's ID.
   */
  | { readonly outcome: 'incomplete'; readonly transferRef?: string }

/** An unknown bank state maps to `needs_people`, never to success or failure. */
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
  /** The bank's status, unchanged. */
  readonly state: string
  readonly status: TransferStatus
  readonly sentMicroUsdc: bigint
  /**
   * Null if the bank does not state the refund in the transfer. The wallet's history then has a deposit with this
   * transfer's ref.
   */
  readonly refundedMicroUsdc: bigint | null
  /** Whether the transfer ever reached the recipient's account. */
  readonly wasDelivered: boolean
  /** A stable code followed by a sentence. Null if nothing failed. */
  readonly reason: string | null
  /** Null if the bank reports no cost above zero, or no rate with which to convert it. */
  readonly networkCostMicropounds: bigint | null
  /** The time by the bank's clock. Null if unknown. */
  readonly createdAt: Date | null
  readonly updatedAt: Date
}

/**
 * For an unreadable transfer from USDC to GBP, `payoutId` is the payout ID in it. For other unreadable ones it is null.
 */
export type ChangedTransfer =
  | { readonly outcome: 'read'; readonly transfer: Transfer }
  | { readonly outcome: 'unreadable'; readonly payoutId: string | null }

/** The content of a bank event. It is only a reason to poll, and is never booked. */
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

/** The groups of requests to the bank, for metrics and for a payout's record of failed calls. */
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
 * `unconnected`: there was no connection, so nothing was sent. `lost`: the connection broke after it was established.
 * `refused`: any other status that is not a success.
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

/** The histogram buckets of call durations, in seconds. */
export const bankCallBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A completed request. */
export interface BankCallSeen {
  readonly operation: BankOperation
  readonly outcome: BankCallOutcome
  readonly seconds: number
}

interface RailErrorOptions extends ErrorOptions {
  /** The cause as a fixed phrase, such as `HTTP 500` or `timeout`. */
  readonly answer?: string
}

/** The bank failed or did not respond. A refusal is not thrown, but returned as a value. */
export class RailUnavailable extends Error {
  readonly answer: string

  constructor(call: string, { answer = 'no usable answer', ...options }: RailErrorOptions = {}) {
    super(`the call to the bank failed: ${call} (${answer})`, options)
    this.name = 'RailUnavailable'
    this.answer = answer
  }
}

/** The bank responds, but rejects this request or returns an unreadable response. Other requests may succeed. */
export class RailRefused extends RailUnavailable {
  constructor(call: string, options?: RailErrorOptions) {
    super(call, options)
    this.message = `the bank refused the call or its answer is unreadable: ${call} (${this.answer})`
    this.name = 'RailRefused'
  }
}

/** The list is too long to read, so retrying does not help. */
export class ListTooLong extends RailRefused {
  constructor(call: string) {
    super(call, { answer: 'list too long' })
    this.message = `the bank's list is too long to read: ${call}`
    this.name = 'ListTooLong'
  }
}

/** An event has no valid, recent signature. Responding with 400 makes the bank retry with a new signature. */
export class BadSignature extends Error {
  constructor(why: string) {
    super(`the bank's signature is not valid: ${why}`)
    this.name = 'BadSignature'
  }
}
