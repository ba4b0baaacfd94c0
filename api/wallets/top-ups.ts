// POST /v1/sandbox/top-ups: adds test money to the sandbox wallet, for sandbox keys and for admins. POST
// /v1/live/simulated-top-ups: sends simulated money to the live wallet, for admins, and only if the live bank is
// simulated.
import { recordActivity } from '../../db/controls/activity'
import { findWalletToRead } from '../../db/wallets/readings'
import { findWallet } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import { topUpsPerPartnerAndHour } from '../../domain/limits'
import { formatUsdc, type MicroUsdc, microUsdcPerCent, parseUsdc } from '../../domain/money'
import { RailUnavailable } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, personOf, post, type Reply } from '../http/route'
import { Body, Component, Constant, MoneyString, MoneyWithin } from '../http/schema'
import { checks } from '../http/steps'

const least: MicroUsdc = 1_000_000n
const most: MicroUsdc = 100_000_000_000n
const rule = `from ${formatUsdc(least)} to ${formatUsdc(most)}`
const range = { least: least / microUsdcPerCent, most: most / microUsdcPerCent }

const TopUpRequest = Body('TopUpRequest', {
  usdc: MoneyWithin(range, { description: `The amount, ${rule}.`, 'x-hint': rule }),
})

const TopUp = Component('TopUp', {
  object: Constant('top_up'),
  usdc: MoneyString({ description: 'The amount that was added.' }),
  balance_usdc: MoneyString({ description: 'The new balance of the sandbox wallet, rounded down.' }),
})

export const createSandboxTopUpRoute = post('/v1/sandbox/top-ups', 'createSandboxTopUp', {
  steps: [...checks('wallet.credit', { by: 'key', partner: 'active' }, { body: TopUpRequest }), createSandboxTopUp],
  summary: 'Add test money',
  description: 'For sandbox keys, and for admins. A live key is refused with 403.',
  bodyExample: { usdc: '1000.00' },
  reply: {
    status: 201,
    description: 'The test money is in the wallet.',
    schema: TopUp,
    example: { object: 'top_up', usdc: '1000.00', balance_usdc: '11000.00' },
  },
  errors: ['provider_unavailable', 'api_key_required'],
})

async function createSandboxTopUp(request: ApiRequest, { workflows, rateLimiter }: ApiDeps): Promise<Reply> {
  const { caller } = request
  const { partner } = caller
  if (caller.by === 'key' && caller.environment === 'live') {
    throw new ApiError('api_key_required', { message: 'A live key cannot add test money. Use a sandbox key.' })
  }
  const amount = amountIn(request)
  await countTopUp(`top-ups/${partner.id}`, rateLimiter)
  const who = caller.by === 'key' ? { keyPrefix: caller.keyPrefix } : { memberId: caller.memberId }
  const order = { partnerId: partner.id, ...who, usdc: formatUsdc(amount), causeRef: request.requestId }
  await request.recheckCaller()
  const added = await workflows.topUp(order)
  if (added === null) throw notArrived()
  const body = { object: 'top_up', usdc: order.usdc, balance_usdc: added.balanceUsdc }
  return { status: 201, body, location: '/v1/wallet/entries?environment=sandbox', activity: 'written' }
}

const SimulatedTopUp = Component('SimulatedTopUp', {
  object: Constant('simulated_top_up'),
  usdc: MoneyString({ description: 'The amount that was sent.' }),
})

export const createSimulatedTopUpRoute = post('/v1/live/simulated-top-ups', 'createSimulatedTopUp', {
  steps: [
    ...checks('wallet.simulate', { by: 'person', partner: 'active' }, { body: TopUpRequest }),
    createSimulatedTopUp,
  ],
  summary: 'Add simulated money to the live wallet',
  description:
    'For admins, and only where the live bank is simulated. With a real bank the response is 409, because only real money can top up ' +
    'its wallet. The simulated bank receives a deposit, which is booked within seconds like any other.',
  bodyExample: { usdc: '1000.00' },
  reply: {
    status: 202,
    description: 'The simulated bank has the money.',
    schema: SimulatedTopUp,
    example: { object: 'simulated_top_up', usdc: '1000.00' },
  },
  errors: ['provider_unavailable', 'invalid_state'],
})

async function createSimulatedTopUp(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { db, clock, liveBank, rateLimiter, workflows } = deps
  const { email, partner } = personOf(request)
  const amountMicroUsdc = amountIn(request)
  await request.recheckCaller()
  if (liveBank === null) {
    throw notPossible('real_bank', 'The live bank is not simulated. Only real money can top up the live wallet.')
  }
  const known = await findWallet(db, partner.id, 'live')
  assert(known !== null, 'a partner must have a wallet in each environment')
  const wallet = await findWalletToRead(db, known.id)
  if (wallet === null) {
    throw notPossible('not_verified', 'There is no live wallet at the bank until your business is verified.')
  }
  await countTopUp(`simulated-top-ups/${partner.id}`, rateLimiter)
  const { customerRef, walletRef } = wallet
  await liveBank.deposit({ customerRef, walletRef, amountMicroUsdc }).catch((error: unknown) => {
    throw error instanceof RailUnavailable ? notArrived() : error
  })
  const usdc = formatUsdc(amountMicroUsdc)
  const entry = { partnerId: partner.id, at: clock.now(), environment: 'live', requestId: request.requestId } as const
  const made = { action: 'wallet.simulate', changes: 'something', status: 202, madeBy: email } as const
  await recordActivity(db, [{ ...entry, ...made, detail: `${usdc} USDC` }])
  // A failure here is harmless, because the bank's event and the scheduled readings also start a wallet reading.
  await workflows.readWallet(wallet.id).catch((error: unknown) => {
    deps.log.warn({ err: error, wallet_id: wallet.id }, 'cannot start a wallet reading')
  })
  const body = { object: 'simulated_top_up', usdc }
  return { status: 202, body, location: '/v1/wallet/entries?environment=live', activity: 'written' }
}

function amountIn(request: ApiRequest): MicroUsdc {
  const amount = parseUsdc(bodyOf<typeof TopUpRequest>(request).usdc)
  if (amount === null || amount < least || amount > most) {
    throw new ApiError('invalid_request', { details: { errors: [`usdc (${rule})`] } })
  }
  return amount
}

async function countTopUp(name: string, rateLimiter: ApiDeps['rateLimiter']): Promise<void> {
  if (await rateLimiter.takeHourly(name, topUpsPerPartnerAndHour)) return
  throw new ApiError('rate_limited', { headers: { 'Retry-After': String(3600 / topUpsPerPartnerAndHour) } })
}

function notArrived(): ApiError {
  return new ApiError('provider_unavailable', {
    message: 'The test money has not arrived yet, but it may still arrive. Check the wallet before you try again.',
  })
}

function notPossible(status: string, message: string): ApiError {
  return new ApiError('invalid_state', { message, details: { status } })
}
