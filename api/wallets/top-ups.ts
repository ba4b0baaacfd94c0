// POST /v1/sandbox/top-ups: adds test money, for sandbox keys and for admins in any environment.

import { topUpsPerPartnerAndHour } from '../../domain/limits'
import { formatUsdc, type MicroUsdc, microUsdcPerCent, parseUsdc } from '../../domain/money'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, post, type Reply } from '../http/route'
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
  tag: 'Sandbox',
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
  const { usdc } = bodyOf<typeof TopUpRequest>(request)
  const { caller } = request
  const { partner } = caller
  if (caller.by === 'key' && caller.environment === 'live') {
    throw new ApiError('api_key_required', { message: 'A live key cannot add test money. Use a sandbox key.' })
  }
  const amount = parseUsdc(usdc)
  if (amount === null || amount < least || amount > most) {
    throw new ApiError('invalid_request', { details: { errors: [`usdc (${rule})`] } })
  }
  if (!(await rateLimiter.takeHourly(`top-ups/${partner.id}`, topUpsPerPartnerAndHour))) {
    throw new ApiError('rate_limited', { headers: { 'Retry-After': String(3600 / topUpsPerPartnerAndHour) } })
  }
  const who = caller.by === 'key' ? { keyPrefix: caller.keyPrefix } : { memberId: caller.memberId }
  const order = { partnerId: partner.id, ...who, usdc: formatUsdc(amount), causeRef: request.requestId }
  await request.recheckCaller()
  const added = await workflows.topUp(order)
  if (added === null) {
    const message =
      'The test money has not arrived yet, but it may still arrive. Check the wallet before you try again.'
    throw new ApiError('provider_unavailable', { message })
  }
  const body = { object: 'top_up', usdc: order.usdc, balance_usdc: added.balanceUsdc }
  return { status: 201, body, location: '/v1/wallet/entries?environment=sandbox', activity: 'written' }
}
