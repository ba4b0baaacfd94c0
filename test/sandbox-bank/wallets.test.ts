// Wallets: float, balances as strings, a history that adds up to the balance, and incoming money.
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { still, useSandboxBank } from '../support/bank/client'
import { aParty, aTransfer, balanceOf, micro } from '../support/bank/parties'

const bank = useSandboxBank({ delaysMs: { ...still, undeliverable: 5, returned: 5, refund_in_flight: 5 } })

test('the first wallet of a sandbox customer gets a float, but later ones and live ones do not', async () => {
  const party = await aParty(bank)
  const second = await bank.post(`/customers/${party.customer}/wallets`, { chain: 'solana' })
  const live = await aParty(bank, { environment: 'live' })

  const first = await bank.get(`/customers/${party.customer}/wallets/${party.wallet}`)

  expect(first.json).toMatchObject({
    chain: 'base',
    balances: [{ balance: '10000.00', currency: 'usdc', chain: 'base' }],
  })
  expect(await balanceOf(bank, { ...party, wallet: second.json.id })).toBe(0n)
  expect(await balanceOf(bank, live, { environment: 'live' })).toBe(0n)
})

test('a list of wallets omits the balances', async () => {
  const party = await aParty(bank)

  const { json } = await bank.get(`/customers/${party.customer}/wallets`)

  expect(json.count).toBe(1)
  expect(json.data[0]).not.toHaveProperty('balances')
})

test('a simulated deposit changes the balance and the history, and is refused outside the sandbox', async () => {
  const party = await aParty(bank)
  const path = `/customers/${party.customer}/wallets/${party.wallet}/simulate_deposit`

  const deposit = await bank.post(path, { amount: '500', currency: 'usdc' })
  const history = await bank.get(`/wallets/${party.wallet}/history`)
  const live = await aParty(bank, { environment: 'live' })
  const refused = await bank.post(
    `/customers/${live.customer}/wallets/${live.wallet}/simulate_deposit`,
    { amount: '1', currency: 'usdc' },
    { environment: 'live' },
  )

  expect(deposit.json).toMatchObject({ amount: '500.000000', available_balance: '10500.000000', type: 'deposit' })
  expect(history.json.data[0]).toEqual(deposit.json)
  expect(history.json.data[1]).toMatchObject({ payment_route: { type: 'float', customer_id: party.customer } })
  expect(refused.json.code).toBe('not_allowed')
})

test('another customer’s wallet is not found', async () => {
  const [one, other] = [await aParty(bank), await aParty(bank)]

  expect((await bank.get(`/customers/${one.customer}/wallets/${other.wallet}`)).status).toBe(404)
  const crossed = await bank.post('/transfers', aTransfer({ ...one, wallet: other.wallet }))
  expect(crossed.json).toMatchObject({ code: 'not_found', source: { key: 'source.bridge_wallet_id' } })
})

test('pounds sent to a virtual account arrive as USDC at the buy rate', async () => {
  const party = await aParty(bank)
  const destination = { payment_rail: 'base', currency: 'usdc', bridge_wallet_id: party.wallet }
  const path = `/customers/${party.customer}/virtual_accounts`

  const account = await bank.post(path, { source: { currency: 'gbp' }, destination })
  const deposit = await bank.control('POST', `/virtual_accounts/${account.json.id}/deposits`, { amount: '79.40' })
  const activity = await bank.get(`${path}/${account.json.id}/history`)
  const tiny = await bank.control('POST', `/virtual_accounts/${account.json.id}/deposits`, { amount: '1.99' })

  expect(account.json).toMatchObject({
    status: 'activated',
    source_deposit_instructions: {
      currency: 'gbp',
      sort_code: expect.stringMatching(/^\d{6}$/),
      account_number: expect.stringMatching(/^\d{8}$/),
      payment_rails: ['faster_payments'],
    },
    destination,
  })
  expect((await bank.get(`${path}/${account.json.id}`)).json).toEqual(account.json)
  expect(deposit.status).toBe(201)
  // 79.40 / 0.79395, rounded down to a cent.
  expect(await balanceOf(bank, party)).toBe(10_100_000_000n)
  expect(activity.json.data.map(({ type }: { type: string }) => type)).toEqual([
    'payment_processed',
    'payment_submitted',
    'funds_received',
  ])
  expect(tiny.status).toBe(400)
})

test('USDC sent to a liquidation address arrives in its wallet', async () => {
  const party = await aParty(bank)
  const path = `/customers/${party.customer}/liquidation_addresses`

  const address = await bank.post(path, { chain: 'base', currency: 'usdc', bridge_wallet_id: party.wallet })
  await bank.control('POST', `/liquidation_addresses/${address.json.id}/deposits`, { amount: '12.345678' })

  expect(address.json).toMatchObject({ state: 'active', address: expect.stringMatching(/^0x/) })
  expect(await balanceOf(bank, party)).toBe(10_012_345_678n)
  expect((await bank.get(`${path}/${address.json.id}/drains`)).json.data).toMatchObject([
    { amount: '12.345678', currency: 'usdc' },
  ])
})

test('a test can add live money', async () => {
  const party = await aParty(bank, { environment: 'live' })

  await bank.control('POST', `/wallets/${party.wallet}/deposits`, { amount: '250.00' })

  expect(await balanceOf(bank, party, { environment: 'live' })).toBe(250_000_000n)
})

test('a wallet’s balance is the sum of its history and never below zero, whatever happens to its transfers', async () => {
  const amount = fc
    .integer({ min: 100, max: 400_000 })
    .map((pence) => `${Math.floor(pence / 100)}.${String(pence % 100).padStart(2, '0')}`)
  const act = fc.oneof(
    fc.record({ act: fc.constant('pay' as const), amount }),
    fc.record({ act: fc.constant('deposit' as const), amount }),
    fc.record({
      act: fc.constant('move' as const),
      state: fc.constantFrom('undeliverable', 'returned', 'refunded', 'canceled', 'payment_processed'),
    }),
  )

  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
      const party = await aParty(bank)
      let last = ''
      for (const each of acts) {
        if (each.act === 'pay')
          last =
            (await bank.post('/transfers', aTransfer(party, { destination: { amount: each.amount } }))).json.id ?? last
        else if (each.act === 'deposit')
          await bank.control('POST', `/wallets/${party.wallet}/deposits`, { amount: each.amount })
        else if (last) await bank.control('POST', `/transfers/${last}/advance`, { state: each.state, last: true })
      }
      const { json } = await bank.control('GET', `/wallets/${party.wallet}/history`)
      let sum = 0n
      for (const row of json.data) {
        sum += row.type === 'deposit' ? micro(row.amount) : -micro(row.amount)
        expect(micro(row.available_balance)).toBe(sum)
        expect(sum >= 0n).toBe(true)
      }
      expect(await balanceOf(bank, party)).toBe(sum)
    }),
    { numRuns: 25 },
  )
})
