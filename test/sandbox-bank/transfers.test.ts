// Transfers with a fixed output amount are validated and debited, and never overspend a wallet.
import { expect, test } from '@jest/globals'
import { type Json, reached, still, useSandboxBank } from '../support/bank/client'
import { anAccount, aParty, aTransfer, balanceOf, useParty } from '../support/bank/parties'

const bank = useSandboxBank({ delaysMs: still })
const party = useParty(bank)

test('a transfer response follows the protocol, and the wallet is debited with 1% padding', async () => {
  const before = await balanceOf(bank, party)
  const order = aTransfer(party)

  const { status, json } = await bank.post('/transfers', order)

  // 100.00 / 0.79 × 1.01, rounded up.
  const amount = '127.85'
  expect(status).toBe(201)
  expect(json).toMatchObject({
    client_reference_id: order.client_reference_id,
    state: 'pending',
    on_behalf_of: party.customer,
    currency: 'usd',
    amount,
    developer_fee: '0.0',
    source: { payment_rail: 'bridge_wallet', currency: 'usdc', amount, from_address: expect.stringMatching(/^0x/) },
    destination: order.destination,
    receipt: { initial_amount: amount, developer_fee: '0.0', exchange_fee: '0.0', gas_fee: '0.0' },
  })
  expect(await balanceOf(bank, party)).toBe(before - 127_850_000n)
  expect((await bank.get(`/transfers/${json.id}`)).json).toEqual(json)
  const history = await bank.get(`/wallets/${party.wallet}/history?limit=1`)
  expect(history.json.data).toMatchObject([
    { type: 'withdrawal', amount: '127.850000', payment_route: { type: 'transfer', transfer_id: json.id } },
  ])
})

test('a given source amount is debited unchanged, and is refused if it does not cover the output', async () => {
  const before = await balanceOf(bank, party)

  const enough = await bank.post('/transfers', aTransfer(party, { source: { amount: '126.59' } }))
  const short = await bank.post('/transfers', aTransfer(party, { source: { amount: '126.58' } }))
  const eaten = await bank.post('/transfers', aTransfer(party, { source: { amount: '126.59' }, developer_fee: '0.01' }))

  expect(enough.json.amount).toBe('126.59')
  expect([short.status, short.json.source]).toEqual([400, { location: 'body', key: 'source.amount' }])
  expect(eaten.status).toBe(400)
  expect(await balanceOf(bank, party)).toBe(before - 126_590_000n)
})

test('a transfer that the wallet does not cover gets 400 and stores nothing', async () => {
  const before = await balanceOf(bank, party)
  const order = aTransfer(party, { destination: { amount: '20000.00' } })

  const refused = await bank.post('/transfers', order)

  expect(refused.status).toBe(400)
  expect(await balanceOf(bank, party)).toBe(before)
  expect((await bank.control('GET', `/transfers?client_reference_id=${order.client_reference_id}`)).json.count).toBe(0)
})

test('the source amount has a minimum, low enough for 1.00 GBP', async () => {
  expect((await bank.post('/transfers', aTransfer(party, { destination: { amount: '1.00' } }))).status).toBe(201)
  expect((await bank.post('/transfers', aTransfer(party, { destination: { amount: '0.30' } }))).json.code).toBe(
    'invalid_parameters',
  )
})

test('an invalid body is refused, and the error names the field', async () => {
  const wrong: [string, Json][] = [
    ['source.payment_rail', { source: { payment_rail: 'ach' } }],
    ['source.currency', { source: { currency: 'usdt' } }],
    ['source.amount', { source: { amount: 126.59 } }],
    ['destination.payment_rail', { destination: { payment_rail: 'sepa' } }],
    ['destination.currency', { destination: { currency: 'eur' } }],
    ['destination.amount', { destination: { amount: undefined } }],
    ['destination.amount', { destination: { amount: '1.001' } }],
    ['destination.amount', { destination: { amount: '-1.00' } }],
    ['destination.amount', { destination: { amount: '1e2' } }],
    ['destination.amount', { destination: { amount: '0.00' } }],
    ['destination.amount', { destination: { amount: 100 } }],
    ['destination.reference', { destination: { reference: 'x'.repeat(19) } }],
    ['destination.reference', { destination: { reference: 'Pay_ment' } }],
    ['destination.reference', { destination: { reference: 'café' } }],
    ['developer_fee', { developer_fee: 'free' }],
    ['amount', { amount: '100.00' }],
    ['on_behalf_of', { on_behalf_of: undefined }],
  ]
  for (const [key, change] of wrong) {
    const { status, json } = await bank.post('/transfers', aTransfer(party, change))
    expect([status, json.code, json.source]).toEqual([400, 'invalid_parameters', { location: 'body', key }])
  }
})

test('200 concurrent transfers from a wallet that covers 50 never overspend it', async () => {
  const racing = await aParty(bank)
  const order = () => aTransfer(racing, { source: { amount: '200.00' }, destination: { amount: '150.00' } })

  const answers = await Promise.all(Array.from({ length: 200 }, () => bank.post('/transfers', order())))

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(150)
  expect(await balanceOf(bank, racing)).toBe(0n)
  expect((await bank.control('GET', `/transfers?customer_id=${racing.customer}`)).json.count).toBe(50)
})

test('a sandbox transfer to an account ending in 0000 is undeliverable in the response, then refunded, twice in a row', async () => {
  const magic = anAccount({ account: { sort_code: '123456', account_number: '12340000' } })
  const { json } = await bank.post(`/customers/${party.customer}/external_accounts`, magic)
  const before = await balanceOf(bank, party)
  await bank.control('PUT', '/delays', { undeliverable: 10 })

  for (let round = 0; round < 2; round += 1) {
    const sent = await bank.post('/transfers', aTransfer({ ...party, account: json.id }))
    const refunded = await reached(bank, sent.json.id, 'refunded')

    expect([sent.status, sent.json.state]).toEqual([201, 'undeliverable'])
    expect(sent.json.return_details.reason).toBe('AC03')
    expect(refunded.return_details).toMatchObject({ reason: 'AC03', refund_reference_id: expect.any(String) })
    expect(await balanceOf(bank, party)).toBe(before)
  }
})

test('an account ending in 0000 is like any other in live mode', async () => {
  const live = { environment: 'live' } as const
  const rich = await aParty(bank, live)
  await bank.control('POST', `/wallets/${rich.wallet}/deposits`, { amount: '1000.00' })
  const magic = anAccount({ account: { sort_code: '123456', account_number: '12340000' } })
  const { json } = await bank.post(`/customers/${rich.customer}/external_accounts`, magic, live)

  const sent = await bank.post('/transfers', aTransfer({ ...rich, account: json.id }), live)

  expect(sent.json.state).toBe('pending')
})

test('a transfer can be deleted only in awaiting_funds', async () => {
  const before = await balanceOf(bank, party)
  const { json } = await bank.post('/transfers', aTransfer(party))

  const early = await bank.send('DELETE', `/transfers/${json.id}`)
  await bank.control('POST', `/transfers/${json.id}/advance`, { state: 'awaiting_funds' })
  const now = await bank.send('DELETE', `/transfers/${json.id}`)

  expect([early.status, early.json.code]).toEqual([409, 'resource_state_conflict'])
  expect(now.json.state).toBe('canceled')
  expect(await balanceOf(bank, party)).toBe(before)
})
