// GET /v1/balance: the balance of the wallet, and its approximate value in pounds.
import { Type } from 'typebox'
import { type BalanceRow, findCallerAndBalance, findWallet } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import { formatPence, formatUsdcDown, type MicroUsdc } from '../../domain/money'
import { type GbpPerUsdNano, gbpWorthOf } from '../../domain/rate'
import { loadRate, presentRate } from '../bank/rate'
import type { ApiDeps } from '../deps'
import { type ApiRequest, get, type Lookup, ok, type Reply } from '../http/route'
import { Component, Constant, MoneyString } from '../http/schema'
import { authenticateWith, authorize, limit, validate } from '../http/steps'

const Balance = Component('Balance', {
  object: Constant('balance'),
  usdc: MoneyString({ description: 'The balance of the wallet, rounded down.' }),
  approx_gbp: MoneyString({ description: 'The approximate current value in pounds, rounded down.' }),
  gbp_per_usd: Type.Number({ description: "The bank's rate that approx_gbp uses." }),
})

/** A partner has one wallet in each environment, so the lookup needs no ID. */
const ownBalance: Lookup<BalanceRow | null> = {
  nameIn: () => 'own',
  nothing: null,
  async findWithKey(db, digest) {
    const found = await findCallerAndBalance(db, digest)
    return found && { caller: found.caller, found: found.balance }
  },
  findForPerson: (db, { partnerId, environment }) => findWallet(db, partnerId, environment),
  isRepeatable: () => false,
  subjectOf: () => null,
}

export const getBalanceRoute = get('/v1/balance', 'getBalance', {
  steps: [
    authenticateWith(ownBalance),
    limit,
    authorize('balance.read', { by: 'key', partner: 'active' }),
    validate(),
    getBalance,
  ],
  summary: 'Retrieve the wallet balance',
  description: 'The balance that new payouts can use. Payouts that were accepted are already deducted.',
  reply: ok('The balance.', Balance, {
    object: 'balance',
    usdc: '10000.00',
    approx_gbp: '7900.00',
    gbp_per_usd: 0.79,
  }),
  errors: ['provider_unavailable'],
})

async function getBalance({ found }: ApiRequest<BalanceRow | null>, deps: ApiDeps): Promise<Reply> {
  assert(found !== null, 'a partner must have a wallet in each environment')
  return { body: presentBalance(found.balanceMicroUsdc, await loadRate(found.rail, deps)) }
}

function presentBalance(microUsdc: MicroUsdc, gbpPerUsdNano: GbpPerUsdNano): unknown {
  return {
    object: 'balance',
    usdc: formatUsdcDown(microUsdc),
    approx_gbp: formatPence(gbpWorthOf(microUsdc, gbpPerUsdNano)),
    gbp_per_usd: presentRate(gbpPerUsdNano),
  }
}
