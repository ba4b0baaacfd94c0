// Test money for a wallet that is at a bank: made there, and booked here from the bank's own history of that wallet.

import { recordActivity } from '../../db/controls/activity'
import type { Db } from '../../db/database'
import { bookDeposits } from '../../db/wallets/book-deposits'
import { hasDepositSince, lastEntryOf } from '../../db/wallets/deposits'
import { findWalletToRead, type WalletToRead } from '../../db/wallets/readings'
import type { CreditedWallet } from '../../db/wallets/simulated'
import { findWallet } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import { formatUsdcExactly } from '../../domain/money'
import type { Rail } from '../../rail/rail'
import type { SimulatedBank } from '../../rail/simulated-bank'
import type { Clock } from '../../runtime/clock'
import { bankKeyFor } from '../bank/idempotency-key'
import { judgeHistory } from './readings/judge-history'

interface Deposit {
  readonly partnerId: string
  readonly environment: Environment
  readonly amountMicroUsdc: bigint
  /** In the sandbox the same one again deposits nothing. */
  readonly causeRef: string
  readonly createdBy: string
}

interface DepositDeps {
  readonly db: Db
  readonly clock: Clock
  readonly rail: Pick<Rail, 'walletHistory' | 'payoutOf'>
  readonly bank: Pick<SimulatedBank, 'deposit' | 'simulateDeposit'>
}

/** Null when the wallet is at no bank. What an earlier call could not book any more is booked by this one. */
export async function depositToWallet(deps: DepositDeps, deposit: Deposit): Promise<CreditedWallet | null> {
  const { db } = deps
  const { partnerId, environment } = deposit
  const known = await findWallet(db, partnerId, environment)
  assert(known !== null, 'a partner must have a wallet')
  const wallet = await findWalletToRead(db, known.id)
  if (wallet === null) return null

  const before = await lastEntryOf(db, wallet.id)
  await makeDeposit(deps, wallet, deposit)
  const outcome = await bookHistory(deps, wallet, { ...deposit, before })
  const { balanceMicroUsdc } = (await findWallet(db, partnerId, environment)) ?? known
  return { outcome, balanceMicroUsdc }
}

async function makeDeposit({ bank }: DepositDeps, wallet: WalletToRead, deposit: Deposit): Promise<void> {
  const { customerRef, walletRef } = wallet
  const wanted = { customerRef, walletRef, amountMicroUsdc: deposit.amountMicroUsdc }
  if (deposit.environment === 'live') await bank.deposit(wanted)
  else await bank.simulateDeposit({ ...wanted, key: bankKeyFor(`deposit/${wallet.id}/${deposit.causeRef}`) })
}

async function bookHistory(
  { db, clock, rail }: DepositDeps,
  wallet: WalletToRead,
  { createdBy, amountMicroUsdc, before }: Deposit & { readonly before: bigint | null },
): Promise<CreditedWallet['outcome']> {
  const { id: walletId, partnerId, environment, customerRef, walletRef, historyReadTo: after } = wallet
  const judged = await judgeHistory({ db, rail }, wallet, await rail.walletHistory({ customerRef, walletRef, after }))
  const at = clock.now()
  return db.transaction(async (tx) => {
    const { booked } = await bookDeposits(tx, { wallet, judged, createdBy, action: 'wallet.credit', at })
    if (booked.some((movement) => movement.amountMicroUsdc === amountMicroUsdc)) return 'credited'
    // The reading that the bank's event has woken may have been quicker, and says of it only that the bank did it.
    if (!(await hasDepositSince(tx, { walletId, after: before, amountMicroUsdc }))) return 'already_credited'
    const detail = `${formatUsdcExactly(amountMicroUsdc)} USDC`
    const entry = { partnerId, at, environment, action: 'wallet.credit', status: null, madeBy: createdBy, detail }
    await recordActivity(tx, [{ ...entry, changes: 'something', requestId: null }])
    return 'credited'
  })
}
