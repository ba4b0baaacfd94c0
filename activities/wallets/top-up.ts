// Test money for a sandbox wallet, by the way that every deposit is booked; for a simulated wallet, which is at no bank, at once.
import { ApplicationFailure } from '@temporalio/common'
import type { Db } from '../../db/database'
import { findMember } from '../../db/partners/members'
import { assert } from '../../domain/assert'
import { formatUsdcDown, parseUsdc } from '../../domain/money'
import type { MakeBelieveBank } from '../../rail/make-believe'
import type { Rail } from '../../rail/rail'
import type { Clock } from '../../runtime/clock'
import type { SandboxTopUp, ToppedUp, TopUpActivities } from '../../workflows/wallets/top-up'
import { creditWallet } from './credit'
import { depositToWallet } from './deposit'

export interface TopUpDeps {
  readonly db: Db
  readonly clock: Clock
  readonly rail: Pick<Rail, 'walletHistory' | 'payoutOf'>
  /** Null where no sandbox bank is configured: then every wallet is simulated. */
  readonly bank: Pick<MakeBelieveBank, 'deposit' | 'simulateDeposit'> | null
}

export function createTopUpSteps(deps: TopUpDeps): TopUpActivities {
  return { topUpSandbox: (topUp) => topUpSandbox(deps, topUp) }
}

async function topUpSandbox(deps: TopUpDeps, topUp: SandboxTopUp): Promise<ToppedUp> {
  const { bank } = deps
  const { partnerId, keyPrefix, usdc, causeRef } = topUp
  const amountMicroUsdc = parseUsdc(usdc)
  assert(amountMicroUsdc !== null, 'a top-up must be an amount')
  const credit = {
    partnerId,
    environment: 'sandbox',
    amountMicroUsdc,
    causeRef: `${keyPrefix === undefined ? 'dashboard' : 'api'}:${causeRef}`,
    createdBy: await whoAsked(deps, topUp),
  } as const

  const credited =
    (await creditWallet(deps, credit)) ?? (bank === null ? null : await depositToWallet({ ...deps, bank }, credit))
  if (credited === null) throw ApplicationFailure.nonRetryable('There is no sandbox bank.', 'NoSandboxBank')
  return { balanceUsdc: formatUsdcDown(credited.balanceMicroUsdc) }
}

/** A person's name stays out of the workflow's history; somebody who was removed meanwhile has none any more. */
async function whoAsked({ db }: TopUpDeps, { memberId = '', keyPrefix }: SandboxTopUp): Promise<string> {
  if (keyPrefix !== undefined) return `key:${keyPrefix}`
  return (await findMember(db, memberId))?.email ?? `member:${memberId}`
}
