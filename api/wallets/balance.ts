// GET /v1/balance: the balance of the wallet, and its approximate value in pounds.
import { Type } from 'typebox'
import { findWallet } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import { formatPence, formatUsdcDown, type MicroUsdc } from '../../domain/money'
import { type GbpPerUsdNano, gbpWorthOf } from '../../domain/rate'
import { loadRate, presentRate } from '../bank/rate'
import type { ApiDeps } from '../deps'
import { type ApiRequest, get, ok, type Reply } from '../http/route'
import { Component, Constant, MoneyString } from '../http/schema'
import { checks } from '../http/steps'

const Balance = Component('Balance', {
  object: Constant('balance'),
  usdc: MoneyString({ description: 'The balance of the wallet, rounded down.' }),
  approx_gbp: MoneyString({ description: 'The approximate current value in pounds, rounded down.' }),
  gbp_per_usd: Type.Number({ description: "The bank's rate that approx_gbp uses." }),
})

export const getBalanceRoute = get('/v1/balance', 'getBalance', {
  steps: [...checks('balance.read', { by: 'key', partner: 'active' }), getBalance],
  tag: 'Wallet',
  summary: 'Retrieve the wallet balance',
  reply: ok('The balance.', Balance, {
    object: 'balance',
    usdc: '10000.00',
    approx_gbp: '7900.00',
    gbp_per_usd: 0.79,
  }),
  errors: ['provider_unavailable'],
})

async function getBalance({ caller: { partner, environment } }: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const wallet = await findWallet(deps.db, partner.id, environment)
  assert(wallet !== null, 'a partner must have a wallet in each environment')
  return { body: presentBalance(wallet.balanceMicroUsdc, await loadRate(wallet.rail, deps)) }
}

function presentBalance(microUsdc: MicroUsdc, gbpPerUsdNano: GbpPerUsdNano): unknown {
  return {
    object: 'balance',
    usdc: formatUsdcDown(microUsdc),
    approx_gbp: formatPence(gbpWorthOf(microUsdc, gbpPerUsdNano)),
    gbp_per_usd: presentRate(gbpPerUsdNano),
  }
}
