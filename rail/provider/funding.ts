// The funding of a wallet: an address for USDC and a bank account for GBP. Each is created only if a lookup does not
// find it.
import type { BankFunding, Rail } from '../rail'
import { ask, part } from './ask'
import type { Client } from './client'
import { textAt, valueAt } from './fields'
import { readWholeList } from './lists'

export function funding(client: Client): Pick<Rail, 'depositAddress' | 'bankFunding'> {
  return {
    // USDC sent to the wallet's own address may be lost. The bank requires a liquidation address.
    async depositAddress({ customerRef, walletRef, chain, key }) {
      const path = `/customers/${part(customerRef)}/liquidation_addresses`
      const isOurs = (row: unknown) =>
        valueAt(row, 'bridge_wallet_id') === walletRef &&
        valueAt(row, 'chain') === chain &&
        valueAt(row, 'currency') === 'usdc' &&
        valueAt(row, 'state') === 'active'
      const body = JSON.stringify({ chain, currency: 'usdc', bridge_wallet_id: walletRef })
      return foundOrMade(client, { name: 'deposit address', path, isOurs, key, body, read: readAddress })
    },
    async bankFunding({ customerRef, walletRef, chain, key }) {
      const path = `/customers/${part(customerRef)}/virtual_accounts`
      const isOurs = (row: unknown) =>
        valueAt(row, 'destination.bridge_wallet_id') === walletRef &&
        valueAt(row, 'source_deposit_instructions.currency') === 'gbp' &&
        valueAt(row, 'status') === 'activated'
      // The bank uses the name of the chain as the payment rail into a wallet.
      const destination = { payment_rail: chain, currency: 'usdc', bridge_wallet_id: walletRef }
      const body = JSON.stringify({ source: { currency: 'gbp' }, destination })
      return foundOrMade(client, { name: 'bank funding', path, isOurs, key, body, read: readFunding })
    },
  }
}

interface Wanted<T> {
  readonly name: string
  readonly path: string
  readonly isOurs: (row: unknown) => boolean
  readonly key: string
  readonly body: string
  readonly read: (row: unknown) => T
}

/** Returns the oldest match. Ignores the customer's other rows, whatever their format. */
async function foundOrMade<T>(client: Client, { name, path, isOurs, key, body, read }: Wanted<T>): Promise<T> {
  const list = { name, path, read: (row: unknown) => (isOurs(row) ? read(row) : null), isPast: () => false }
  const rows = await readWholeList(client, list)
  const known = [...rows.values()].findLast((row) => row !== null) ?? null
  return known ?? ask(client, name, { method: 'POST', path, key, body }, read)
}

function readAddress(body: unknown): string {
  return textAt(body, 'address')
}

function readFunding(body: unknown): BankFunding {
  const at = 'source_deposit_instructions'
  return {
    fundingRef: textAt(body, 'id'),
    sortCode: textAt(body, `${at}.sort_code`),
    accountNumber: textAt(body, `${at}.account_number`),
    holderName: textAt(body, `${at}.account_holder_name`),
    bankName: textAt(body, `${at}.bank_name`),
  }
}
