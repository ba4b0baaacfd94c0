// Counts payments from the bank's own records, so that finding a double payment does not depend on our data.
import type { Json } from '../support/bank/client'
import type { World } from '../support/system/world'

/** The number of transfers to each account number that debited a wallet and were not refunded. */
export async function paidByAccount({ bank }: World): Promise<Map<string, number>> {
  const numbers = await accountNumbers(bank.controlUrl)
  const { json } = await bank.control('GET', '/transfers')
  const paid = new Map<string, number>()
  for (const { state, destination } of json.data) {
    if (state === 'refunded' || state === 'canceled') continue
    const account = numbers.get(destination.external_account_id) ?? 'unknown'
    paid.set(account, (paid.get(account) ?? 0) + 1)
  }
  return paid
}

async function accountNumbers(controlUrl: string): Promise<Map<string, string>> {
  const numbers = new Map<string, string>()
  for (let after = 0; ; ) {
    const { data }: Json = await (await fetch(`${controlUrl}/_control/journal?after=${after}`)).json()
    if (data.length === 0) return numbers
    for (const { seq, puts } of data) {
      after = seq
      for (const [name, record] of puts) {
        if (name === 'externalAccounts') numbers.set(record.id, record.accountNumber)
      }
    }
  }
}
