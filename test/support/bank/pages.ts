// User actions at the sandbox bank itself: pressing buttons on its pages, and paying in.

import type { World } from '../system/world'
import type { Json } from './client'

/** Presses the button with this value on one of the bank's pages, as a browser would. */
export async function press(page: string, choice: string): Promise<void> {
  const body = new URLSearchParams({ choice })
  const { status } = await fetch(page, { method: 'POST', body, redirect: 'manual' })
  if (status !== 303 && status !== 200) throw new Error(`the bank's page answered ${status}`)
}

/** Sends pounds by bank transfer to the account that GET /v1/account returns. */
export async function payInPounds({ db, bank }: World, funding: Json, amount: string): Promise<Json> {
  const [wallet] = await db.dataSource.query<Json[]>(
    'SELECT funding_ref AS ref FROM wallets WHERE funding_sort_code = $1 AND funding_account_number = $2',
    [funding.sort_code, funding.account_number],
  )
  const { status, json } = await bank.control('POST', `/virtual_accounts/${wallet.ref}/deposits`, { amount })
  if (status !== 201) throw new Error(`the bank refused the deposit: ${status}`)
  return json
}
