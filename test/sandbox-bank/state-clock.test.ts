// The state clock: the usual path of a transfer, its receipt, and its failures.
import { beforeEach, expect, test } from '@jest/globals'
import { type Json, openTestBank, quick, reached, until, useSandboxBank } from '../support/bank/client'
import { aParty, aTransfer, balanceOf, useParty } from '../support/bank/parties'

const bank = useSandboxBank()
const party = useParty(bank)
beforeEach(async () => {
  await bank.control('DELETE', '/faults')
  await bank.control('PUT', '/delays', quick)
})

async function pay(reference?: string): Promise<Json> {
  const { json } = await bank.post('/transfers', aTransfer(party, reference ? { client_reference_id: reference } : {}))
  return json
}

/** Every version of the transfer, read from the journal, because polls may miss some. */
async function moves(id: string): Promise<Json[]> {
  const { json } = await bank.control('GET', '/journal')
  const puts: [string, Json][] = json.data.flatMap((entry: Json) => entry.puts)
  return puts.filter(([name, object]) => name === 'transfers' && object.id === id).map(([, object]) => object)
}

async function path(id: string): Promise<string[]> {
  return (await moves(id)).map(({ state }) => state)
}

async function stays(id: string, state: string): Promise<boolean> {
  const seen = await reached(bank, id, state)
  await new Promise((resolve) => setTimeout(resolve, 100))
  return (await bank.get(`/transfers/${id}`)).json.updated_at === seen.updated_at
}

test('a transfer moves from pending to payment_processed, and its receipt is then complete', async () => {
  const created = await pay()

  const done = await reached(bank, created.id, 'payment_processed')

  expect(await path(created.id)).toEqual(['pending', 'funds_received', 'payment_submitted', 'payment_processed'])
  expect(done.receipt).toMatchObject({
    final_amount: '100.00',
    exchange_rate: '0.790000000',
    subtotal_amount: '127.85',
    developer_exchange_fee: { amount: '1.26', currency: 'usdc' },
  })
  expect(done.receipt.source_tx_hash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(Date.parse(done.updated_at)).toBeGreaterThan(Date.parse(created.updated_at))
})

test('a transfer passes through review if review has a delay, and can start in review', async () => {
  await bank.control('PUT', '/delays', { in_review: 10 })
  const reviewed = await pay()
  await reached(bank, reviewed.id, 'payment_processed')
  const other = await openTestBank({ firstState: 'in_review' })
  const first = await other.post('/transfers', aTransfer(await aParty(other)))
  await other.close()

  expect(await path(reviewed.id)).toEqual([
    'pending',
    'in_review',
    'funds_received',
    'payment_submitted',
    'payment_processed',
  ])
  expect(first.json.state).toBe('in_review')
})

test('a transfer can be stuck in review, in error, underfunded, or in an unknown state', async () => {
  for (const state of ['in_review', 'error', 'underfunded', 'quantum_superposition']) {
    const fault = await bank.fault({ kind: 'stuck', state, match: { client_reference_id: `stuck-${state}` } })
    const { id } = await pay(`stuck-${state}`)

    expect(await stays(id, state)).toBe(true)
    expect(await bank.counts(fault)).toEqual({ fired: 1, remaining: 0 })
  }
  const { json } = await bank.control('GET', '/transfers?client_reference_id=stuck-underfunded')
  expect(json.data[0].additional_funding_instructions).toMatchObject({ amount: '1.28', currency: 'usdc' })
})

test('a fault for one transfer does not affect others', async () => {
  await bank.fault({ kind: 'stuck', state: 'error', match: { client_reference_id: 'aimed' } })
  const [aimed, other] = [await pay('aimed'), await pay()]

  expect(await stays(aimed.id, 'error')).toBe(true)
  expect((await reached(bank, other.id, 'payment_processed')).state).toBe('payment_processed')
})

test('a transfer selected by its ID can get stuck at a later state', async () => {
  await bank.control('PUT', '/delays', { pending: 2_000 })
  const { id } = await pay()
  await bank.fault({
    kind: 'stuck',
    state: 'payment_submitted',
    match: { transfer_id: id, state: 'payment_submitted' },
  })

  expect(await stays(id, 'payment_submitted')).toBe(true)
})

test('an undeliverable transfer returns its money once, in the state refunded', async () => {
  await bank.fault({ kind: 'undeliverable', reason: 'AC07', match: { external_account_id: party.account } })
  const before = await balanceOf(bank, party)
  const { id } = await pay()

  const refunded = await reached(bank, id, 'refunded')

  expect(await path(id)).toEqual(['pending', 'funds_received', 'payment_submitted', 'undeliverable', 'refunded'])
  expect(refunded.return_details.reason).toBe('AC07')
  expect(await balanceOf(bank, party)).toBe(before)
  const { json } = await bank.control('GET', `/wallets/${party.wallet}/history`)
  const rows = json.data.filter(({ payment_route }: Json) => payment_route.transfer_id === id)
  expect(rows.map(({ type }: Json) => type)).toEqual(['withdrawal', 'deposit'])
})

test('a return follows payment_processed after its delay, and credits the wallet only in the state refunded', async () => {
  await bank.control('PUT', '/delays', { refund_in_flight: 600_000 })
  await bank.fault({ kind: 'return', ms: 50, reason: 'AC06', match: { client_reference_id: 'returned' } })
  const before = await balanceOf(bank, party)
  const { id } = await pay('returned')

  await reached(bank, id, 'refund_in_flight')
  const between = await balanceOf(bank, party)
  await bank.control('POST', `/transfers/${id}/advance`, {})
  await reached(bank, id, 'refunded')

  expect((await path(id)).slice(3)).toEqual(['payment_processed', 'returned', 'refund_in_flight', 'refunded'])
  expect(between).toBe(before - 127_850_000n)
  expect(await balanceOf(bank, party)).toBe(before)
})

test('a refund can be late and can fail', async () => {
  await bank.fault({ kind: 'undeliverable', times: 2 })
  const late = await bank.fault({ kind: 'refund_delay', ms: 200, match: { client_reference_id: 'late' } })
  const failed = await bank.fault({ kind: 'refund_failed', match: { client_reference_id: 'failed' } })
  const [one, two] = [await pay('late'), await pay('failed')]

  expect(await stays(two.id, 'refund_failed')).toBe(true)
  await reached(bank, one.id, 'refunded')

  const [undeliverable, refunded] = (await moves(one.id)).slice(-2)
  expect(refunded.updatedAt - undeliverable.updatedAt).toBeGreaterThanOrEqual(200)
  expect([await bank.counts(late), await bank.counts(failed)]).toEqual([
    { fired: 1, remaining: 0 },
    { fired: 1, remaining: 0 },
  ])
})

test('a bounce can deactivate the external account', async () => {
  const bouncing = await aParty(bank)
  await bank.fault({ kind: 'undeliverable', match: { customer_id: bouncing.customer } })
  await bank.fault({ kind: 'deactivate_account', match: { external_account_id: bouncing.account } })
  const { json } = await bank.post('/transfers', aTransfer(bouncing))

  await reached(bank, json.id, 'refunded')
  const account = await bank.get(`/customers/${bouncing.customer}/external_accounts/${bouncing.account}`)
  const refused = await bank.post('/transfers', aTransfer(bouncing))

  expect(account.json).toMatchObject({ active: false, deactivation_reason: 'deactivated_due_to_bounceback' })
  expect(refused.json.code).toBe('deactivated_external_account')
})

test('a test can move a transfer step by step or to any state, but never after its refund', async () => {
  await bank.control('PUT', '/delays', { pending: 600_000, funds_received: 600_000, refund_in_flight: 600_000 })
  const { id } = await pay()

  const next = await bank.control('POST', `/transfers/${id}/advance`, {})
  const returned = await bank.control('POST', `/transfers/${id}/advance`, { state: 'returned', reason: 'MD09' })
  await reached(bank, id, 'refund_in_flight')
  await bank.control('POST', `/transfers/${id}/advance`, { state: 'refunded' })
  const over = await bank.control('POST', `/transfers/${id}/advance`, { state: 'refunded' })

  expect(next.json.state).toBe('funds_received')
  expect(returned.json.return_details.reason).toBe('MD09')
  expect(over.status).toBe(400)
})

test('the reported balance of one wallet can be outdated', async () => {
  const lagging = await aParty(bank)
  await new Promise((resolve) => setTimeout(resolve, 1_600))
  await bank.fault({ kind: 'balance_lag', ms: 1_500, match: { wallet_id: lagging.wallet } })
  await bank.post('/transfers', aTransfer(lagging))

  expect(await balanceOf(bank, lagging)).toBe(10_000_000_000n)
  await until(
    'the balance is no longer outdated',
    async () => (await balanceOf(bank, lagging)) === 10_000_000_000n - 127_850_000n,
  )
})

test('rates are strings with a timestamp, and can jump or be stale', async () => {
  const usual = await bank.get('/exchange_rates?from=usd&to=gbp')
  const jump = await bank.fault({ kind: 'rate_jump', sell_rate: '0.5' })
  const jumped = await bank.get('/exchange_rates?from=usd&to=gbp')
  const short = await bank.post('/transfers', aTransfer(party, { source: { amount: '126.59' } }))
  await bank.control('DELETE', `/faults/${jump}`)
  await bank.fault({ kind: 'rate_stale', ms: 3_600_000, times: 1 })
  const stale = await bank.get('/exchange_rates?from=usd&to=gbp')
  const fresh = await bank.get('/exchange_rates?from=usd&to=gbp')

  expect(usual.json).toEqual({
    midmarket_rate: '0.791975000',
    buy_rate: '0.793950000',
    sell_rate: '0.790000000',
    updated_at: expect.any(String),
  })
  expect(jumped.json.sell_rate).toBe('0.500000000')
  expect(short.json.source.key).toBe('source.amount')
  expect(Date.now() - Date.parse(stale.json.updated_at)).toBeGreaterThanOrEqual(3_600_000)
  expect(Date.now() - Date.parse(fresh.json.updated_at)).toBeLessThan(31_000)
  expect((await bank.get('/exchange_rates?from=usdc&to=gbp')).status).toBe(400)
  expect((await bank.get('/exchange_rates?from=gbp&to=usd')).json.sell_rate).toBe('1.259525159')
})
