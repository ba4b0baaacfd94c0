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
export function floatPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'top_ups', 'wallet')
}

/** A sandbox is connected to its bank: the bank's float replaces the rest of ours. */
export function floatReversalPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'wallet', 'top_ups')
}

/** A partner's deposit. */
export function topUpPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'top_ups', 'wallet')
}

/** A deposit that is not explained yet. */
export function heldPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'top_ups', 'suspense')
}

/** An operator credits a held deposit to the partner. */
export function heldCreditPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'suspense', 'wallet')
}

/** A payout debits its wallet. */
export function debitPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'wallet', 'in_transit')
}

/** A payout was not sent: reverses debitPostings. */
export function reversePostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'in_transit', 'wallet')
}

/** A payout has reached the recipient's account. */
export function paidOutPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'in_transit', 'paid_out')
}

/** The bank refunded a transfer at the rate of that day. The difference goes to the exchange account. */
export function refundPostings(sent: MicroUsdc, refunded: MicroUsdc): readonly Posting[] {
  return giveBack('in_transit', sent, refunded)
}

/** The same for a completed payout that was returned. */
export function returnPostings(sent: MicroUsdc, refunded: MicroUsdc): readonly Posting[] {
  return giveBack('paid_out', sent, refunded)
}

export function assertBalanced(postings: readonly Posting[]): void {
  assert(postings.length >= 2, 'a posting set must have two sides')
  assert(
    postings.every((posting) => posting.amountMicroUsdc !== 0n),
    'a posting must move something',
  )
  const sum = postings.reduce((total, posting) => total + posting.amountMicroUsdc, 0n)
  assert(sum === 0n, 'postings must balance')
}

function giveBack(from: AccountKind, sent: MicroUsdc, refunded: MicroUsdc): readonly Posting[] {
  const difference = sent - refunded
  const postings: Posting[] = [
    { account: from, amountMicroUsdc: -sent },
    { account: 'wallet', amountMicroUsdc: refunded },
  ]
  if (difference !== 0n) postings.push({ account: 'exchange_difference', amountMicroUsdc: difference })
  assertBalanced(postings)
  return postings
}

function move(amount: MicroUsdc, from: AccountKind, to: AccountKind): readonly Posting[] {
  assert(amount > 0n, 'only a positive amount can be moved')
  const postings = [
    { account: from, amountMicroUsdc: -amount },
    { account: to, amountMicroUsdc: amount },
  ]
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
