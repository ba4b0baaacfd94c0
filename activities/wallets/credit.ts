// Tops up a simulated wallet with test money, once per cause; what is at a bank is deposited there (deposit.ts).

import { recordActivity } from '../../db/controls/activity'
import type { Db } from '../../db/database'
import { postSet } from '../../db/wallets/ledger'
import { lockWallet } from '../../db/wallets/wallets'
import { formatUsdcDown } from '../../domain/money'
import { topUpPostings } from '../../domain/wallets/ledger'
import type { Clock } from '../../runtime/clock'

export interface WalletCredit {
  readonly partnerId: string
  readonly environment: 'sandbox'
  readonly amountMicroUsdc: bigint
  /** The same one again credits nothing. */
  readonly causeRef: string
  readonly createdBy: string
}

export interface CreditedWallet {
  readonly outcome: 'credited' | 'already_credited'
  readonly balanceMicroUsdc: bigint
}

/** Null when the wallet is not simulated. */
export async function creditWallet(
  { db, clock }: { db: Db; clock: Clock },
  { partnerId, environment, amountMicroUsdc, causeRef, createdBy }: WalletCredit,
): Promise<CreditedWallet | null> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    // Locked, so that it is not connected to its bank meanwhile: the bank would know nothing of this money.
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
