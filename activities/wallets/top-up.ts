// Adds test money. A deposit at the bank is booked from the wallet's history, like every deposit. A simulated wallet is
// credited directly.
import { ApplicationFailure } from '@temporalio/common'
import { recordActivity } from '../../db/controls/activity'
import type { Db } from '../../db/database'
import { findMember } from '../../db/partners/members'
import { bookDeposits } from '../../db/wallets/book-deposits'
import { hasDepositSince, lastEntryOf } from '../../db/wallets/entries'
import { findWalletToRead, type WalletToRead } from '../../db/wallets/readings'
import { type CreditedWallet, creditWallet } from '../../db/wallets/simulated'
import { findWallet } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import { formatUsdcDown, formatUsdcExactly, parseUsdc } from '../../domain/money'
import type { Rail } from '../../rail/rail'
import type { SimulatedBank } from '../../rail/simulated-bank'
import type { Clock } from '../../runtime/clock'
import type { SandboxTopUp, ToppedUp } from '../../workflows/wallets/top-up'
import { type ActivityDeps, bankKeyFor } from '../bind'
import { judgeHistory } from './readings/judge-history'

type TopUpDeps = Pick<ActivityDeps, 'db' | 'clock' | 'rails' | 'sandboxBank'>

export async function topUpSandbox(deps: TopUpDeps, topUp: SandboxTopUp): Promise<ToppedUp> {
  const { db, clock, rails, sandboxBank: bank } = deps
  const { partnerId, keyPrefix, usdc, causeRef } = topUp
  const amountMicroUsdc = parseUsdc(usdc)
  assert(amountMicroUsdc !== null, 'the amount of a top-up must be valid')
  const credit = {
    partnerId,
    environment: 'sandbox',
    amountMicroUsdc,
    causeRef: `${keyPrefix === undefined ? 'dashboard' : 'api'}:${causeRef}`,
    createdBy: await whoAsked(deps, topUp),
  } as const

  const credited =
    (await creditWallet(deps, credit)) ??
    (bank === null ? null : await depositToWallet({ db, clock, rail: rails.provider_sandbox, bank }, credit))
  if (credited === null) throw ApplicationFailure.nonRetryable('There is no sandbox bank.', 'NoSandboxBank')
  return { balanceUsdc: formatUsdcDown(credited.balanceMicroUsdc) }
}

/**
 * The workflow history contains only the member's ID. A member who has been removed since has no email, so the ID is
 * shown instead.
 */
async function whoAsked({ db }: TopUpDeps, { memberId = '', keyPrefix }: SandboxTopUp): Promise<string> {
  if (keyPrefix !== undefined) return `key:${keyPrefix}`
  return (await findMember(db, memberId))?.email ?? `member:${memberId}`
}

interface Deposit {
  readonly partnerId: string
  readonly environment: Environment
  readonly amountMicroUsdc: bigint
  /** In the sandbox, a repeated reference creates no second deposit. */
  readonly causeRef: string
  readonly createdBy: string
}

interface DepositDeps {
  readonly db: Db
  readonly clock: Clock
  readonly rail: Pick<Rail, 'walletHistory' | 'payoutOf'>
  readonly bank: Pick<SimulatedBank, 'deposit' | 'simulateDeposit'>
}

/** Returns null for a simulated wallet. Also books deposits from earlier calls that were interrupted. */
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
    // A wallet reading after the bank's event may have booked the deposit first, without recording who requested it.
    if (!(await hasDepositSince(tx, { walletId, after: before, amountMicroUsdc }))) return 'already_credited'
    const detail = `${formatUsdcExactly(amountMicroUsdc)} USDC`
    const entry = { partnerId, at, environment, action: 'wallet.credit', status: null, madeBy: createdBy, detail }
    await recordActivity(tx, [{ ...entry, changes: 'something', requestId: null }])
    return 'credited'
  })
}
