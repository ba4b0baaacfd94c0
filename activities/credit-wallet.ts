// Tops up a sandbox wallet with test money, once per cause.
import type { Clock } from '../clock'
import { recordActivity } from '../db/activity'
import type { Db } from '../db/database'
import { postSet } from '../db/ledger'
import { findWallet } from '../db/wallets'
import { assert } from '../domain/assert'
import { topUpPostings } from '../domain/ledger'
import { formatUsdcDown } from '../domain/money'

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

export async function creditWallet(
  { db, clock }: { db: Db; clock: Clock },
  { partnerId, environment, amountMicroUsdc, causeRef, createdBy }: WalletCredit,
): Promise<CreditedWallet> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    const wallet = await findWallet(tx, partnerId, environment)
    assert(wallet !== null, 'a partner must have a wallet')
    const postings = topUpPostings(amountMicroUsdc)
    const set = { walletId: wallet.id, cause: 'top_up', causeRef, payoutId: null, createdBy, at, postings }
    const posted = await postSet(tx, set)
    if (posted.outcome !== 'posted') {
      const latest = await findWallet(tx, partnerId, environment)
      return { outcome: 'already_credited', balanceMicroUsdc: (latest ?? wallet).balanceMicroUsdc }
    }

    const detail = `${formatUsdcDown(amountMicroUsdc)} USDC`
    const entry = { partnerId, at, environment, action: 'wallet.credit', status: null, madeBy: createdBy, detail }
    await recordActivity(tx, [{ ...entry, changes: 'something', requestId: null }])
    return { outcome: 'credited', balanceMicroUsdc: posted.balanceMicroUsdc }
  })
}
