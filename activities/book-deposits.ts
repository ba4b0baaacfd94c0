// The one way from a bank's wallet into ours: each deposit of its history is booked once, under the bank's own id for it.
import type { Tx } from '../db/database'
import { postSet } from '../db/ledger'
import { topUpPostings } from '../domain/ledger'
import type { WalletMovement } from '../rail/rail'

export interface DepositsToBook {
  readonly walletId: string
  readonly history: readonly WalletMovement[]
  readonly createdBy: string
  readonly at: Date
}

/** Answers what came in now. What came back from a transfer is not a deposit: its payout books it (design §4). */
export async function bookDeposits(tx: Tx, { walletId, history, createdBy, at }: DepositsToBook): Promise<bigint> {
  let bookedMicroUsdc = 0n
  for (const { id, kind, transferRef, amountMicroUsdc } of history) {
    if (kind !== 'deposit' || transferRef !== null) continue
    const about = { walletId, cause: 'deposit', causeRef: id, payoutId: null, createdBy, at }
    const posted = await postSet(tx, { ...about, postings: topUpPostings(amountMicroUsdc) })
    if (posted.outcome === 'posted') bookedMicroUsdc += amountMicroUsdc
  }
  return bookedMicroUsdc
}
