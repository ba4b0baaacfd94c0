// Test money for a wallet that is at a bank: made there, and booked here from the bank's own history of that wallet.
import type { Clock } from '../clock'
import { recordActivity } from '../db/activity'
import type { Db } from '../db/database'
import { findWallet } from '../db/wallets'
import { assert } from '../domain/assert'
import type { Environment } from '../domain/environment'
import { formatUsdcDown } from '../domain/money'
import type { MakeBelieveBank } from '../rail/make-believe'
import type { Rail } from '../rail/rail'
import { bankKeyFor } from './bank-key'
import { bookDeposits } from './book-deposits'
import type { CreditedWallet } from './credit-wallet'

export interface Deposit {
  readonly partnerId: string
  readonly environment: Environment
  readonly amountMicroUsdc: bigint
  /** In the sandbox the same one again deposits nothing. */
  readonly causeRef: string
  readonly createdBy: string
}

export interface DepositDeps {
  readonly db: Db
  readonly clock: Clock
  readonly rail: Pick<Rail, 'walletHistory'>
  readonly bank: Pick<MakeBelieveBank, 'deposit' | 'simulateDeposit'>
}

/** Null when the wallet is at no bank. What an earlier call could not book any more is booked by this one. */
export async function depositToWallet(
  { db, clock, rail, bank }: DepositDeps,
  { partnerId, environment, amountMicroUsdc, causeRef, createdBy }: Deposit,
): Promise<CreditedWallet | null> {
  const wallet = await findWallet(db, partnerId, environment)
  assert(wallet !== null, 'a partner must have a wallet')
  const { id: walletId, customerRef, walletRef } = wallet
  if (customerRef === null || walletRef === null) return null

  const refs = { customerRef, walletRef }
  if (environment === 'live') await bank.deposit({ ...refs, amountMicroUsdc })
  else await bank.simulateDeposit({ ...refs, amountMicroUsdc, key: bankKeyFor(`deposit/${walletId}/${causeRef}`) })

  const history = await rail.walletHistory({ ...refs, after: null })
  const at = clock.now()
  return db.transaction(async (tx) => {
    const booked = await bookDeposits(tx, { walletId, history, createdBy, at })
    const after = await findWallet(tx, partnerId, environment)
    const { balanceMicroUsdc } = after ?? wallet
    if (booked === 0n) return { outcome: 'already_credited', balanceMicroUsdc }
    const detail = `${formatUsdcDown(booked)} USDC`
    const entry = { partnerId, at, environment, action: 'wallet.credit', status: null, madeBy: createdBy, detail }
    await recordActivity(tx, [{ ...entry, changes: 'something', requestId: null }])
    return { outcome: 'credited', balanceMicroUsdc }
  })
}
