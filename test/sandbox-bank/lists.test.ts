// Lists return {count, data}, newest first, with mutually exclusive cursors, and refuse invalid parameters.
import { beforeAll, expect, test } from '@jest/globals'
import { type Json, still, useSandboxBank } from '../support/bank/client'
import { aParty, aTransfer, useParty } from '../support/bank/parties'

const bank = useSandboxBank({ delaysMs: still })
const party = useParty(bank)
const ids: string[] = []
const references: string[] = []
beforeAll(async () => {
  for (let count = 0; count < 7; count += 1) {
    const order = aTransfer(party, { destination: { amount: '1.00' } })
    const { json } = await bank.post('/transfers', order)
    ids.unshift(json.id)
    references.unshift(order.client_reference_id)
  }
})

async function page(query: string): Promise<string[]> {
  const { json } = await bank.get(`/transfers?${query}`)
  expect(json.count).toBe(json.data.length)
  return json.data.map(({ id }: Json) => id)
}

test('cursors page in both directions until an empty page', async () => {
  expect(await page('limit=3')).toEqual(ids.slice(0, 3))
  expect(await page(`limit=3&starting_after=${ids[2]}`)).toEqual(ids.slice(3, 6))
  expect(await page(`limit=3&starting_after=${ids[6]}`)).toEqual([])
  expect(await page(`limit=2&ending_before=${ids[4]}`)).toEqual(ids.slice(2, 4))
})

test('a customer’s list contains only its own transfers', async () => {
  const other = await aParty(bank)

  expect((await bank.get(`/customers/${party.customer}/transfers?limit=100`)).json.count).toBe(7)
  expect((await bank.get(`/customers/${other.customer}/transfers`)).json.count).toBe(0)
})

test('transfers can be filtered by the time of their last change', async () => {
  const moved = ids[3] ?? ''
  const { json } = await bank.get(`/transfers/${ids[0]}`)
  const since = Date.parse(json.updated_at)
  await new Promise((resolve) => setTimeout(resolve, 5))
  await bank.control('POST', `/transfers/${moved}/advance`, {})

  expect(await page(`updated_after_ms=${since}`)).toEqual([moved])
  expect(await page(`updated_before_ms=${since + 1}&limit=100`)).not.toContain(moved)
})

test('invalid limits and cursors are refused', async () => {
  const wrong = [
    'limit=0',
    'limit=101',
    'limit=x',
    'starting_after=nobody',
    'updated_after_ms=x',
    `updated_after_ms=1&starting_after=${ids[0]}`,
    'updated_after_ms=1&updated_before_ms=2',
  ]
  for (const query of wrong) expect((await bank.get(`/transfers?${query}`)).json.code).toBe('invalid_parameters')
})

test('a test can make a list shift between pages, omit a transfer or end too early', async () => {
  const skip = await bank.fault({ kind: 'list_shift', by: 1 })
  const skipped = await page(`limit=2&starting_after=${ids[1]}`)
  await bank.control('DELETE', `/faults/${skip}`)
  await bank.fault({ kind: 'list_shift', by: -1, times: 1 })
  const repeated = await page(`limit=2&starting_after=${ids[1]}`)
  const omit = await bank.fault({ kind: 'list_omit', match: { client_reference_id: references[2] ?? '' } })
  const without = await page('limit=100')
  const omitted = await bank.counts(omit)
  await bank.control('DELETE', '/faults')
  await bank.fault({ kind: 'list_short', match: { path: '/v0/customers/*/transfers' } })
  const short = await bank.get(`/customers/${party.customer}/transfers`)
  const whole = await bank.get(`/customers/${party.customer}/transfers`)

  expect(skipped).toEqual(ids.slice(3, 5))
  expect(repeated).toEqual(ids.slice(1, 3))
  expect(without).toEqual(ids.filter((id) => id !== ids[2]))
  expect(omitted).toEqual({ fired: 1, remaining: null })
  expect([short.json.count, whole.json.count]).toEqual([0, 7])
})
