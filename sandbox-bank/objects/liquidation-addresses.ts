// Liquidation addresses: USDC sent to one on chain is credited to a customer's wallet.
import { randomUUID } from 'node:crypto'
import { type Call, get, isoTime, type Outcome, post, type Route } from '../http/call'
import { notFound, unknownIn } from '../http/errors'
import { requiredChoice, requiredText } from '../http/fields'
import { listPage } from '../http/lists'
import type { LiquidationAddress } from '../storage/records'
import { customerOf, requireActive } from './customers'
import { presentActivity } from './incoming'
import { chains, fakeAddress } from './wallets'

export const liquidationAddressRoutes: readonly Route[] = [
  post('/customers/:customer/liquidation_addresses', createAddress),
  get('/customers/:customer/liquidation_addresses', listAddresses),
  get('/customers/:customer/liquidation_addresses/:address', (call) => ({
    status: 200,
    body: present(addressOf(call)),
  })),
  get('/customers/:customer/liquidation_addresses/:address/drains', listDrains),
]

function createAddress(call: Call): Outcome {
  const { body, books, now } = call
  const customer = customerOf(call)
  const chain = requiredChoice(body, 'chain', chains)
  requiredChoice(body, 'currency', ['usdc'])
  const wallet = books.wallets.get(requiredText(body, 'bridge_wallet_id'))
  if (!wallet || wallet.customerId !== customer.id) throw unknownIn('bridge_wallet_id', 'wallet')
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

function listAddresses(call: Call): Outcome {
  return { status: 200, body: listPage(call, call.books.liquidationAddresses.of(customerOf(call).id), present) }
}

function listDrains(call: Call): Outcome {
  return { status: 200, body: listPage(call, call.books.activities.of(addressOf(call).id), presentActivity) }
}

function addressOf(call: Call): LiquidationAddress {
  const address = call.books.liquidationAddresses.get(call.param('address'))
  if (!address || address.customerId !== customerOf(call).id) throw notFound('liquidation_address')
  return address
}

function present(address: LiquidationAddress): Record<string, unknown> {
  return {
    id: address.id,
    customer_id: address.customerId,
    chain: address.chain,
    currency: 'usdc',
    address: address.address,
    bridge_wallet_id: address.walletId,
    state: 'active',
    created_at: isoTime(address.createdAt),
  }
}
