// The ledger's account kinds and the balanced posting sets that move USDC between them.
import { assert } from '../assert'
import type { MicroUsdc } from '../money'

export const accountKinds = ['wallet', 'in_transit', 'paid_out', 'top_ups', 'exchange_difference', 'suspense'] as const
export type AccountKind = (typeof accountKinds)[number]

/**
 * A positive amount increases the account's balance, and a negative amount reduces it. Money enters the ledger through
 * top_ups, so the balance of that account is negative.
 */
export interface Posting {
  readonly account: AccountKind
  readonly amountMicroUsdc: MicroUsdc
}

/** 10,000.00 USDC, about 7,900 GBP at the simulated rate. */
export const simulatedFloatMicroUsdc = 10_000_000_000n

/** Books test money in a sandbox. */
export const floatPostings = moving('top_ups', 'wallet')

/** Removes our remaining float when a sandbox is connected to its bank. The bank provides its own float. */
export const floatReversalPostings = moving('wallet', 'top_ups')

/** Books a partner's deposit. */
export const topUpPostings = moving('top_ups', 'wallet')

/** Books an unexplained deposit in suspense. */
export const heldPostings = moving('top_ups', 'suspense')

/** Credits a held deposit to the partner's wallet. */
export const heldCreditPostings = moving('suspense', 'wallet')

/** Debits the wallet for a payout. */
export const debitPostings = moving('wallet', 'in_transit')

/** Reverses debitPostings for a payout that was not sent. */
export const reversePostings = moving('in_transit', 'wallet')

/** Books a payout that has reached the recipient's account. */
export const paidOutPostings = moving('in_transit', 'paid_out')

/** Books a refund, which the bank makes at that day's rate. The difference goes to the exchange_difference account. */
export const refundPostings = givingBack('in_transit')

/** Books the return of a completed payout like a refund. */
export const returnPostings = givingBack('paid_out')

export function assertBalanced(postings: readonly Posting[]): void {
  assert(postings.length >= 2, 'a posting set must have two sides')
  assert(
    postings.every((posting) => posting.amountMicroUsdc !== 0n),
    'a posting must move money',
  )
  const sum = postings.reduce((total, posting) => total + posting.amountMicroUsdc, 0n)
  assert(sum === 0n, 'postings must balance')
}

function moving(from: AccountKind, to: AccountKind) {
  return (amount: MicroUsdc): readonly Posting[] => {
    assert(amount > 0n, 'only a positive amount can be moved')
    return balanced([
      { account: from, amountMicroUsdc: -amount },
      { account: to, amountMicroUsdc: amount },
    ])
  }
}

function givingBack(from: AccountKind) {
  return (sent: MicroUsdc, refunded: MicroUsdc): readonly Posting[] => {
    const difference = sent - refunded
    return balanced([
      { account: from, amountMicroUsdc: -sent },
      { account: 'wallet', amountMicroUsdc: refunded },
      ...(difference === 0n ? [] : [{ account: 'exchange_difference', amountMicroUsdc: difference } as const]),
    ])
  }
}

function balanced(postings: readonly Posting[]): readonly Posting[] {
  assertBalanced(postings)
  return postings
}

export const unexplainedWithdrawal = 'unexplained_withdrawal'

interface OddMovement {
  /** The first field that could not be read. */
  readonly field: string
  readonly looksLike: 'deposit' | 'withdrawal' | null
}

/** Returns the reason code for holding an unreadable movement. Operators see this code. */
export function whyUnreadable({ field, looksLike }: OddMovement): string {
  return `${looksLike === 'withdrawal' ? unreadableWithdrawal : 'unreadable_'}${field.replaceAll('.', '_')}`
}

/** A withdrawal cannot be credited. */
export function isHeldWithdrawal(why: string): boolean {
  return why === unexplainedWithdrawal || why.startsWith(unreadableWithdrawal)
}

const unreadableWithdrawal = 'unreadable_withdrawal_'
