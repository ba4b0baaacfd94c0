// The port to a bank: what the service asks of it, whichever bank answers.

import type { Reason } from '../domain/partners/verification'
import type { RecipientType } from '../domain/payouts/payout'
import type { BankRate } from '../domain/rate-check'

/**
 * A refusal is a value, trouble is thrown as RailUnavailable. Nothing is tried again in here: who calls knows how often
 * it may, and repeats under the same key.
 */
export interface Rail {
  /** The bank's current rate, not checked; throws RailUnavailable when the bank does not answer. */
  rate(): Promise<BankRate>

  openCustomer(customer: CustomerToOpen): Promise<OpenedCustomer>
  /** The one that was opened with this email; null when none was. */
  findCustomer(email: string): Promise<Verification | null>
  verification(verificationRef: string): Promise<Verification>

  createWallet(wallet: { customerRef: string; chain: string; key: string }): Promise<NewWallet>
  /** Of one customer, oldest first. */
  wallets(customerRef: string): Promise<NewWallet[]>
  wallet(wallet: WalletRefs): Promise<WalletBalance>
  /** Where USDC is sent so that it arrives in the wallet: one address, made when it is first asked for. */
  depositAddress(wallet: WalletRefs & { chain: string; key: string }): Promise<string>
  /** The account whose pounds arrive in the wallet as USDC: one, made when it is first asked for. */
  bankFunding(wallet: WalletRefs & { chain: string; key: string }): Promise<BankFunding>
  /** Oldest first; everything after the movement with the id `after`, everything there is when that is null. */
  walletHistory(wallet: WalletRefs & { after: string | null }): Promise<HistoryRow[]>
  /** What a transfer that was made after `since` has brought back into its wallet; null while the history has nothing of it. */
  findRefund(refund: WalletRefs & { transferRef: string; since: Date }): Promise<Refund | null>

  /** Moves no money, so an answer that is lost is `unavailable`: repeat it under the same key. */
  registerRecipient(recipient: RecipientToRegister): Promise<Registered>

  /** The bytes to store before the first call: the same for the same order, whenever they are made. */
  transferBody(order: TransferOrder): string
  submit(transfer: TransferToSubmit): Promise<Submitted>
  transfer(transferRef: string): Promise<Transfer>
  /** The payout that a transfer names; null when it names none, and when the bank has no such transfer. */
  payoutOf(transferRef: string): Promise<string | null>
  findTransfer(wanted: WalletRefs & { payoutId: string; since: Date }): Promise<FoundTransfer>
  changedSince(at: Date): AsyncIterable<ChangedTransfer>
  /** All out of a wallet, also those that are no payouts; everything there is when `since` is null. */
  transfersSince(listed: WalletRefs & { since: Date | null }): Promise<ListedTransfer[]>

  registerWebhook(webhook: { url: string; key: string }): Promise<{ webhookRef: string; publicKey: string }>
  /** From then on the bank sends nothing to its address. May be repeated. */
  disableWebhook(webhookRef: string): Promise<void>
}

export interface CustomerToOpen {
  readonly legalName: string
  readonly email: string
  /** Where the bank's pages send a person when they are done. */
  readonly redirectUrl: string | null
  readonly key: string
}

export type OpenedCustomer =
  | { readonly outcome: 'opened'; readonly verification: Verification }
  /** What was asked for is refused, and will be again: an email that the bank knows, a name that it does not take. */
  | { readonly outcome: 'refused'; readonly code: string }

export interface Verification {
  readonly verificationRef: string
  readonly customerRef: string | null
  /** The bank's own word. */
  readonly providerStatus: string
  readonly termsAccepted: boolean
  /** Whether the bank lets this customer pay pounds; its status alone does not say so. */
  readonly paysGbp: boolean
  readonly continueUrl: string | null
  readonly termsUrl: string | null
  /** Why it was refused. */
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
  /** The bank wants each transfer of this wallet to say how its holder was authenticated. */
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

/** A movement that is not what it should be: another currency, an unknown type, an amount that is none. */
export interface UnreadableMovement {
  readonly id: string
  readonly kind: 'unreadable'
  /** What could not be read first. */
  readonly field: string
  /** What it says it is. */
  readonly looksLike: 'deposit' | 'withdrawal' | null
  readonly at: Date | null
}

export type HistoryRow = WalletMovement | UnreadableMovement

/** The time of the newest movement; -Infinity when there is none. A history is too long to be spread into Math.max. */
export function newestOf(history: readonly Pick<HistoryRow, 'at'>[]): number {
  return history.reduce((newest, { at }) => Math.max(newest, at?.getTime() ?? -Infinity), -Infinity)
}

export interface Refund {
  readonly amountMicroUsdc: bigint
  /** The bank's own id of the movement; null where a bank keeps no history. */
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
  /** The county; the town is used when it is null. */
  readonly region: string | null
}

export interface RecipientToRegister {
  readonly customerRef: string
  readonly recipient: BankRecipient
  readonly key: string
  /** When the last of the questions that it takes must be over, however much time each of them would have. */
  readonly endBy?: Date
}

export type Registered =
  | { readonly outcome: 'registered'; readonly recipientRef: string }
  | { readonly outcome: 'rejected'; readonly reason: string }
  | {
      readonly outcome: 'unavailable'
      /** `misconfigured`: our key, a feature or a limit at the bank; waiting alone does not help. */
      readonly why: 'busy' | 'unavailable' | 'misconfigured'
      readonly retryAfterMs: number | null
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
  /** As for a recipient; a call that is cut off by it is one whose outcome nobody knows. */
  readonly endBy?: Date
}

/** `first`: every call ever made under this bank key provably sent nothing. Only then may an answer prove it again. */
export type SubmitCall = 'first' | 'repeat'

export type Submitted =
  | { readonly outcome: 'accepted'; readonly transfer: Transfer }
  /** `quote`: the rate has moved since the payout was priced, so the same amount at a new quote may be accepted. */
  | {
      readonly outcome: 'rejected'
      readonly who: 'recipient' | 'partner' | 'amount' | 'quote'
      readonly reason: string
    }
  | { readonly outcome: 'not-sent'; readonly why: NotSentWhy; readonly retryAfterMs: number | null }
  | { readonly outcome: 'unknown'; readonly why: string }

export type NotSentWhy = 'insufficient' | 'busy' | 'unavailable' | 'misconfigured'

export type FoundTransfer =
  | { readonly outcome: 'found'; readonly transfer: Transfer }
  /** The bank has no such transfer: two complete listings agree, and every withdrawal belongs to another one. */
  | { readonly outcome: 'absent' }
  /** The bank's lists cannot be read far enough to decide. `transferRef` names our payout and cannot be read itself. */
  | { readonly outcome: 'incomplete'; readonly transferRef?: string }

/** A word of the bank that we do not know is `needs_people`, never success or failure. */
export type Standing =
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
  /** The bank's own word. */
  readonly state: string
  readonly standing: Standing
  readonly sentMicroUsdc: bigint
  /** Null when the transfer does not say it; the wallet's history then does, under this transfer's ref. */
  readonly refundedMicroUsdc: bigint | null
  /** Whether it had been in the recipient's account, whatever became of it since. */
  readonly wasDelivered: boolean
  /** A stable code, then a sentence; null while nothing went wrong. */
  readonly reason: string | null
  /** Null when the bank states no cost above zero. */
  readonly networkCostMicropounds: bigint | null
  /** By the bank's clock; null when the bank does not say it. */
  readonly createdAt: Date | null
  readonly updatedAt: Date
}

/** One that can not be read is told with the payout that it pays in pounds from USDC; null when it is of another kind. */
export type ChangedTransfer =
  | { readonly outcome: 'read'; readonly transfer: Transfer }
  | { readonly outcome: 'unreadable'; readonly payoutId: string | null }

/** What a bank's event says; only a reason to ask the bank, never something to book. */
export type WebhookEvent =
  | {
      readonly outcome: 'event'
      readonly eventId: string
      readonly category: string
      /** What to ask the bank for: the transfer, the customer, the kyc link, the wallet. */
      readonly objectRef: string
      readonly payoutId: string | null
      readonly state: string | null
    }
  | { readonly outcome: 'ignored' }

/** Trouble at the bank, as opposed to a refusal, which is a value. */
export class RailUnavailable extends Error {
  constructor(call: string, options?: ErrorOptions) {
    super(`the bank did not answer: ${call}`, options)
    this.name = 'RailUnavailable'
  }
}

/** The bank is there, and has no use for this one question or an answer that nobody can read; another may fare better. */
export class RailRefused extends RailUnavailable {
  constructor(call: string, options?: ErrorOptions) {
    super(call, options)
    this.message = `the bank gave no usable answer: ${call}`
    this.name = 'RailRefused'
  }
}

/** The bank has more to tell than anybody would wait for: to ask again does not help. */
export class ListTooLong extends RailRefused {
  constructor(call: string, options?: ErrorOptions) {
    super(call, options)
    this.message = `the bank's list is too long to be read: ${call}`
    this.name = 'ListTooLong'
  }
}

/** An event that the bank did not sign, or not now; 400 makes the bank send it again with a fresh signature. */
export class BadSignature extends Error {
  constructor(why: string) {
    super(`the bank's signature does not hold: ${why}`)
    this.name = 'BadSignature'
  }
}
