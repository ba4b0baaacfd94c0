// The ledger's kinds of accounts and the balanced posting sets that move USDC between them (design §4).
import { assert } from '../assert'
import type { MicroUsdc } from '../money'

export const accountKinds = ['wallet', 'in_transit', 'paid_out', 'top_ups', 'exchange_difference', 'suspense'] as const
export type AccountKind = (typeof accountKinds)[number]

/** A positive amount comes into the account and a negative one leaves it, so top_ups, where money enters, runs below zero. */
export interface Posting {
  readonly account: AccountKind
  readonly amountMicroUsdc: MicroUsdc
}

/** The sandbox's test money. */
export function floatPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'top_ups', 'wallet')
}

/** A sandbox is connected to its bank, whose own float takes the place of what is left of ours. */
export function floatReversalPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'wallet', 'top_ups')
}

/** A partner's own money, arrived. */
export function topUpPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'top_ups', 'wallet')
}

/** Money that arrived and that nobody can explain yet. */
export function heldPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'top_ups', 'suspense')
}

/** Somebody has explained it: it is the partner's. */
export function heldCreditPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'suspense', 'wallet')
}

/** A payout takes what its wallet sends. */
export function debitPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'wallet', 'in_transit')
}

/** A payout did not go: its wallet gets back what debitPostings took. */
export function reversePostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'in_transit', 'wallet')
}

/** A payout is in the recipient's account. */
export function paidOutPostings(amount: MicroUsdc): readonly Posting[] {
  return move(amount, 'in_transit', 'paid_out')
}

/** The bank gave back what was on its way, at the rate of that day: what is missing or over is the exchange's. */
export function refundPostings(sent: MicroUsdc, refunded: MicroUsdc): readonly Posting[] {
  return giveBack('in_transit', sent, refunded)
}

/** The same for a payout that had arrived and came back. */
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
