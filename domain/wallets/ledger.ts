// The ledger's account kinds and the balanced posting sets that move USDC between them.
import { assert } from '../assert'
import type { MicroUsdc } from '../money'

export const accountKinds = ['wallet', 'in_transit', 'paid_out', 'top_ups', 'exchange_difference', 'suspense'] as const
export type AccountKind = (typeof accountKinds)[number]

/** A positive amount enters the account, a negative one leaves it. Money enters through top_ups, so its balance is negative. */
export interface Posting {
  readonly account: AccountKind
  readonly amountMicroUsdc: MicroUsdc
}

/** 10,000.00 USDC, about 7,900 GBP at the simulated rate. */
export const simulatedFloatMicroUsdc = 10_000_000_000n

/** Test money in a sandbox. */
export const floatPostings = moving('top_ups', 'wallet')

/** A sandbox is connected to its bank: the bank's float replaces the rest of ours. */
export const floatReversalPostings = moving('wallet', 'top_ups')

/** A partner's deposit. */
export const topUpPostings = moving('top_ups', 'wallet')

/** A deposit that is not explained yet. */
export const heldPostings = moving('top_ups', 'suspense')

/** An operator credits a held deposit to the partner. */
export const heldCreditPostings = moving('suspense', 'wallet')

/** A payout debits its wallet. */
export const debitPostings = moving('wallet', 'in_transit')

/** A payout was not sent: reverses debitPostings. */
export const reversePostings = moving('in_transit', 'wallet')

/** A payout has reached the recipient's account. */
export const paidOutPostings = moving('in_transit', 'paid_out')

/** The bank refunded a transfer at the rate of that day. The difference goes to the exchange account. */
export const refundPostings = givingBack('in_transit')

/** The same for a completed payout that was returned. */
export const returnPostings = givingBack('paid_out')

export function assertBalanced(postings: readonly Posting[]): void {
  assert(postings.length >= 2, 'a posting set must have two sides')
  assert(
    postings.every((posting) => posting.amountMicroUsdc !== 0n),
    'a posting must move something',
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

/** The reason shown to the operator for whom an unreadable movement in a wallet's history is held. */
export function whyUnreadable({ field, looksLike }: OddMovement): string {
  return `${looksLike === 'withdrawal' ? unreadableWithdrawal : 'unreadable_'}${field.replaceAll('.', '_')}`
}

/** A withdrawal cannot be credited. */
export function isHeldWithdrawal(why: string): boolean {
  return why === unexplainedWithdrawal || why.startsWith(unreadableWithdrawal)
}

const unreadableWithdrawal = 'unreadable_withdrawal_'
