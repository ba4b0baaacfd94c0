// Test money for simulated wallets, which have no bank: a new sandbox's float, its reversal, and top-ups.

import { assert } from '../../domain/assert'
import { formatUsdcDown } from '../../domain/money'
import {
  floatPostings,
  floatReversalPostings,
  simulatedFloatMicroUsdc,
  topUpPostings,
} from '../../domain/wallets/ledger'
import type { Clock } from '../../runtime/clock'
import { recordActivity } from '../controls/activity'
import type { Db, Tx } from '../database'
import { postSet } from './ledger'
import { lockWallet, type WalletRow } from './wallets'

interface WalletCredit {
  readonly partnerId: string
  readonly environment: 'sandbox'
  readonly amountMicroUsdc: bigint
  /** A second credit with the same `causeRef` changes nothing. */
  readonly causeRef: string
  readonly createdBy: string
}

export interface CreditedWallet {
  readonly outcome: 'credited' | 'already_credited'
  readonly balanceMicroUsdc: bigint
}

/** Returns null if the wallet is not simulated. */
export async function creditWallet(
  { db, clock }: { db: Db; clock: Clock },
  { partnerId, environment, amountMicroUsdc, causeRef, createdBy }: WalletCredit,
): Promise<CreditedWallet | null> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    // The lock prevents the wallet from being connected to the bank concurrently. The bank would not have this money.
    const wallet = await lockWallet(tx, partnerId, environment)
    if (wallet.rail !== 'simulated') return null
    const postings = topUpPostings(amountMicroUsdc)
    const set = { walletId: wallet.id, cause: 'top_up', causeRef, payoutId: null, createdBy, at, postings }
    const posted = await postSet(tx, set)
    if (posted.outcome !== 'posted') {
      return { outcome: 'already_credited', balanceMicroUsdc: wallet.balanceMicroUsdc }
    }

    const detail = `${formatUsdcDown(amountMicroUsdc)} USDC`
    const entry = { partnerId, at, environment, action: 'wallet.credit', status: null, madeBy: createdBy, detail }
    await recordActivity(tx, [{ ...entry, changes: 'something', requestId: null }])
    return { outcome: 'credited', balanceMicroUsdc: posted.balanceMicroUsdc }
  })
}

export async function postFloat(
  tx: Tx,
  { walletId, createdBy, at }: { walletId: string; createdBy: string; at: Date },
): Promise<void> {
  const postings = floatPostings(simulatedFloatMicroUsdc)
  const about = { walletId, cause: 'float', causeRef: 'simulated', payoutId: null, createdBy, at }
  const posted = await postSet(tx, { ...about, postings })
  assert(posted.outcome === 'posted', 'a new wallet must have no float yet')
}

/** Removes the remaining test money before the wallet is connected to a bank. The caller must lock the wallet first. */
export async function reverseFloat(tx: Tx, { id: walletId, balanceMicroUsdc }: WalletRow, at: Date): Promise<void> {
  if (balanceMicroUsdc === 0n) return
  const about = { walletId, cause: 'float_reversal', causeRef: 'simulated', payoutId: null, createdBy: 'system', at }
  const posted = await postSet(tx, { ...about, postings: floatReversalPostings(balanceMicroUsdc) })
  assert(posted.outcome === 'posted', 'the balance of a locked wallet must not change')
}
