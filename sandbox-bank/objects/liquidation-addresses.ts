// Liquidation addresses: USDC sent to one on chain is credited to a customer's wallet.
import { randomUUID } from 'node:crypto'
import { type Call, get, isoTime, type Outcome, post, type Route } from '../http/call'
import { notFound } from '../http/errors'
import { requiredChoice } from '../http/fields'
import { listPage } from '../http/lists'
import type { LiquidationAddress } from '../storage/records'
import { customerOf, requireActive } from './customers'
import { presentActivity } from './incoming'
import { chains, fakeAddress, walletIn } from './wallets'

export const liquidationAddressRoutes: readonly Route[] = [
  post('/customers/:customer/liquidation_addresses', createAddress),
  get('/customers/:customer/liquidation_addresses', listAddresses),
  get('/customers/:customer/liquidation_addresses/:address', (call) => present(addressOf(call))),
  get('/customers/:customer/liquidation_addresses/:address/drains', listDrains),
]

function createAddress(call: Call): Outcome {
  const { body, now } = call
  const customer = customerOf(call)
  const chain = requiredChoice(body, 'chain', chains)
  requiredChoice(body, 'currency', ['usdc'])
  const wallet = walletIn(call, customer, 'bridge_wallet_id')
  requireActive(customer)
  const address: LiquidationAddress = {
    id: randomUUID(),
    customerId: customer.id,
    walletId: wallet.id,
    chain,
    address: fakeAddress(chain),
    createdAt: now,
  }
  const puts = [['liquidationAddresses', address]] as const
  return { status: 201, body: present(address), what: 'liquidation_address.created', puts }
}

function listAddresses(call: Call) {
  return listPage(call, call.books.liquidationAddresses.of(customerOf(call).id), present)
}

function listDrains(call: Call) {
  return listPage(call, call.books.activities.of(addressOf(call).id), presentActivity)
}

function addressOf(call: Call): LiquidationAddress {
  const address = call.books.liquidationAddresses.get(call.param('address'))
  if (!address || address.customerId !== customerOf(call).id) throw notFound('liquidation_address')
  return address
}

function present(row: LiquidationAddress): Record<string, unknown> {
  const { id, customerId: customer_id, chain, address, walletId: bridge_wallet_id } = row
  const created_at = isoTime(row.createdAt)
  return { id, customer_id, chain, currency: 'usdc', address, bridge_wallet_id, state: 'active', created_at }
}
