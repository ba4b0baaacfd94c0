// Test money for a sandbox wallet, by the way that every deposit is booked; for a simulated wallet, which is at no bank, at once.
import { ApplicationFailure } from '@temporalio/common'
import { findMember } from '../../db/partners/members'
import { creditWallet } from '../../db/wallets/simulated'
import { assert } from '../../domain/assert'
import { formatUsdcDown, parseUsdc } from '../../domain/money'
import type { SandboxTopUp, ToppedUp } from '../../workflows/wallets/top-up'
import type { ActivityDeps } from '../bind'
import { depositToWallet } from './deposit'

type TopUpDeps = Pick<ActivityDeps, 'db' | 'clock' | 'rails' | 'sandboxBank'>

export async function topUpSandbox(deps: TopUpDeps, topUp: SandboxTopUp): Promise<ToppedUp> {
  const { db, clock, rails, sandboxBank: bank } = deps
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
    (await creditWallet(deps, credit)) ??
    (bank === null ? null : await depositToWallet({ db, clock, rail: rails.provider_sandbox, bank }, credit))
  if (credited === null) throw ApplicationFailure.nonRetryable('There is no sandbox bank.', 'NoSandboxBank')
  return { balanceUsdc: formatUsdcDown(credited.balanceMicroUsdc) }
}

/** The workflow's history holds only the member's ID. A member who was removed since has no email, so the ID is used. */
async function whoAsked({ db }: TopUpDeps, { memberId = '', keyPrefix }: SandboxTopUp): Promise<string> {
  if (keyPrefix !== undefined) return `key:${keyPrefix}`
  return (await findMember(db, memberId))?.email ?? `member:${memberId}`
}
