// The bank's customers for tests: a party with a wallet and a recipient, and the request bodies for them.
import { randomUUID } from 'node:crypto'
import { opened } from '../opened'
import type { Asked, Json, TestBank } from './client'

type Client = Pick<TestBank, 'get' | 'post' | 'control'>

export interface Party {
  readonly customer: string
  readonly wallet: string
  readonly account: string
}

/** A verified customer for this test file. */
export function useParty(bank: Client): Party {
  return opened(() => aParty(bank))
}

/** A verified customer with a wallet and a recipient. */
export async function aParty(bank: Client, asked: Asked = {}): Promise<Party> {
  const link = await bank.post('/kyc_links', aKycLink(), asked)
  const customer = String(link.json.customer_id)
  if (asked.environment === 'live') {
    await bank.control('POST', `/customers/${customer}/kyc`, { status: 'approved', tos_status: 'approved' })
  }
  const wallet = await bank.post(`/customers/${customer}/wallets`, { chain: 'base' }, asked)
  const account = await bank.post(`/customers/${customer}/external_accounts`, anAccount(), asked)
  return { customer, wallet: String(wallet.json.id), account: String(account.json.id) }
}

export function aKycLink(change: Json = {}): Json {
  const endorsements = ['base', 'faster_payments']
  // Uses a new email each time, because the bank allows one live customer per email.
  const email = `${randomUUID()}@example.com`
  return { full_name: 'Analytical Engines Ltd', email, type: 'business', endorsements, ...change }
}

let accounts = 10_000_000

export function anAccount(change: Json = {}): Json {
  accounts += 1
  // Payments to an account number that ends in 0000 would fail.
  if (accounts % 10_000 === 0) accounts += 1
  return {
    currency: 'gbp',
    account_type: 'gb',
    bank_name: 'Barclays',
    account_owner_name: 'Ada Lovelace',
    account_owner_type: 'individual',
    first_name: 'Ada',
    last_name: 'Lovelace',
    account: { sort_code: '123456', account_number: String(accounts) },
    address: { street_line_1: '10 High St', city: 'London', postal_code: 'SW1A 2AA', country: 'GBR' },
    ...change,
  }
}

export function aTransfer(party: Party, change: Json = {}): Json {
  const { source, destination, ...rest } = change
  return {
    on_behalf_of: party.customer,
    client_reference_id: randomUUID(),
    developer_fee: '0.00',
    source: { payment_rail: 'bridge_wallet', currency: 'usdc', bridge_wallet_id: party.wallet, ...source },
    destination: {
      payment_rail: 'faster_payments',
      currency: 'gbp',
      external_account_id: party.account,
      amount: '100.00',
      reference: 'INV 1042',
      ...destination,
    },
    ...rest,
  }
}

/** Returns the balance in millionths, so that sums are exact. */
export async function balanceOf(bank: Client, party: Party, asked: Asked = {}): Promise<bigint> {
  const { json } = await bank.get(`/customers/${party.customer}/wallets/${party.wallet}`, asked)
  return micro(String(json.balances[0].balance))
}

export function micro(text: string): bigint {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`)
}
