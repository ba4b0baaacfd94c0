// POST /v1/payouts: each outcome as the caller sees it, verified against the bank's records.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { writeGuide } from '../../../../api/docs/guide'
import { postSet } from '../../../../db/wallets/ledger'
import { findWallet } from '../../../../db/wallets/wallets'
import { topUpPostings } from '../../../../domain/wallets/ledger'
import { aRequest, type Payer, usePayoutWorld } from '../../../support/api/payout-world'
import { until } from '../../../support/bank/client'
import { withoutRandom } from '../../../support/personal'
import { topUp } from '../../../support/stages/payout'

const world = usePayoutWorld()
let payer: Payer

beforeAll(async () => {
  payer = await world.aPayer()
})
afterEach(() => world.bank.control('DELETE', '/faults'))

const toTransfers = { method: 'POST', path: '/v0/transfers' }
const toAccounts = { method: 'POST', path: '/v0/customers/*' }

const balanceOf = async (who: Payer) => (await world.api.get('/v1/balance', { key: who.keys.sandbox })).body['usdc']

describe('a payout that the bank accepts', () => {
  test('is 201 processing with its quote, debited and sent once', async () => {
    const someone = await world.aPayer()
    const request = aRequest({ recipient: { bank: { account_number: '38291234' } } })
    const created = await world.pay(someone, request, { key: 'order-1042' })

    expect([created.status, created.headers.get('Idempotent-Replayed')]).toEqual([201, null])
    expect(created.body).toMatchObject({
      object: 'payout',
      environment: 'sandbox',
      status: 'processing',
      reference: 'Invoice 1042',
      amount_gbp: '120.00',
      fee_gbp: '2.19',
      fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
      wallet_sent_usdc: '153.30',
      recipient: { name: 'Ada Lovelace', account_last4: '1234' },
      failure_reason: null,
      completed_at: null,
      created_via: 'api',
      idempotency_key: 'order-1042',
      quote: { seller_receives_gbp: '120.00', fee_gbp: '2.19', wallet_sends_usdc: '153.30' },
    })
    expect(await balanceOf(someone)).toBe('9846.70')
    expect(await world.transfersOf(created.body['id'])).toHaveLength(1)
  })

  test('is in the list, at its own URL and in the activity list, without its quote', async () => {
    const { body: created, headers } = await world.pay(payer)

    const key = payer.keys.sandbox
    const { quote: _, ...payout } = created
    const one = await world.api.get(`/v1/payouts/${String(created['id'])}`, { key })
    const list = await world.api.get('/v1/payouts?limit=1', { key })
    const activity = await world.api.get('/v1/activity', { key })

    expect([one.body, list.body.data?.[0]]).toEqual([payout, payout])
    const about = activity.body.data?.filter(({ detail }) => detail === created['id'])
    expect(about).toEqual([
      expect.objectContaining({ action: 'payout.read', status: 200 }),
      {
        at: expect.any(String),
        environment: 'sandbox',
        action: 'payout.create',
        status: 201,
        by: `key:${key.slice(0, 'kp_sandbox_'.length + 8)}`,
        detail: created['id'],
        request_id: headers.get('X-Request-Id'),
        id: expect.any(String),
        payout: {
          id: created['id'],
          amount_gbp: created['amount_gbp'],
          recipient: created['recipient'],
        },
      },
    ])
  })

  test('can be found in the Temporal Web UI by payout ID and amount, and its history has no name and no account', async () => {
    const key = `order-${randomUUID()}`
    const { body } = await world.pay(payer, { recipient: { bank: { account_number: '76541234' } } }, { key })

    const handle = world.temporal.workflow.getHandle(`payout/sandbox/${payer.id}/${key}`)
    const description = await handle.describe()
    const history = JSON.stringify(await handle.fetchHistory()).replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString('utf8'),
    )

    expect(await description.staticSummary()).toBe(`120.00 GBP to ••••1234 · ${payer.slug} · sandbox`)
    expect(description.typedSearchAttributes.get({ name: 'PayoutId', type: 'KEYWORD' })).toBe(body['id'])
    expect(description.typedSearchAttributes.get({ name: 'PayoutAmountPence', type: 'INT' })).toBe(12_000)
    expect(history).toContain(String(body['id']))
    expect(withoutRandom(history)).not.toMatch(/Lovelace|76541234|200415|St James/)
  })

  test('becomes completed through polling alone', async () => {
    const { body } = await world.pay(payer)
    const [transfer] = await world.transfersOf(body['id'])

    for (const state of ['funds_received', 'payment_submitted', 'payment_processed']) {
      await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state })
    }

    const path = `/v1/payouts/${String(body['id'])}`
    const completed = await until('the payout is completed', async () => {
      const { body: now } = await world.api.get(path, { key: payer.keys.sandbox })
      return now['status'] === 'completed' && now
    })
    expect(completed).toMatchObject({ amount_gbp: '120.00', failure_reason: null })
  })

  test('can also be made with a live key, from the live wallet', async () => {
    const { status, body } = await world.pay(payer, {}, { environment: 'live' })

    expect([status, body['status'], body['environment']]).toEqual([201, 'processing', 'live'])
  })
})

describe('a payout that does not succeed', () => {
  test('is 201 failed with a reason, for an account ending in 0000', async () => {
    const { status, body } = await world.pay(payer, { recipient: { bank: { account_number: '12340000' } } })

    expect([status, body['status']]).toEqual([201, 'failed'])
    expect(body['failure_reason']).toMatch(/^[a-z_]+: .*rejected/)
  })

  test('is 422 recipient_account_rejected if the bank refuses the account, and the idempotency key is free again', async () => {
    const key = `order-${randomUUID()}`
    const before = await balanceOf(payer)
    await world.bank.fault({ kind: 'status', status: 400, code: 'invalid_parameters', match: toAccounts })

    const refused = await world.pay(payer, {}, { key })
    const again = await world.pay(payer, { amount_gbp: '2.00' }, { key })

    expect([refused.status, refused.body.error?.code]).toEqual([422, 'recipient_account_rejected'])
    expect([again.status, again.body['amount_gbp']]).toEqual([201, '2.00'])
    expect(Number(before) - Number(await balanceOf(payer))).toBeCloseTo(Number(again.body['wallet_sent_usdc']))
  })

  test('is 402 with the shortfall if the balance is too low, and can be retried after a top-up', async () => {
    const someone = await world.aPayer()
    const request = aRequest({ amount_gbp: '8000.00' })
    const key = `order-${randomUUID()}`

    const refused = await world.pay(someone, request, { key })
    await topUp(world.api.db, world.bank, { partnerId: someone.id, environment: 'sandbox', usdc: '200.00' })
    const again = await world.pay(someone, request, { key })

    expect([refused.status, refused.body.error?.code]).toEqual([402, 'insufficient_funds'])
    expect(refused.body.error?.details).toEqual({
      required_usdc: '10177.85',
      available_usdc: '10000.00',
      shortfall_usdc: '177.85',
      shortfall_approx_gbp: '140.51',
    })
    expect(again.status).toBe(201)
  })

  test('is 402 if a concurrent payout was debited first, and no payout is stored', async () => {
    const someone = await world.aPayer()
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.pay(someone, { amount_gbp: '3000.00' })))

    const counts = [201, 402].map((expected) => answers.filter(({ status }) => status === expected).length)
    expect(counts).toEqual([2, 4])
    const refused = answers.find(({ status }) => status === 402)
    expect(refused?.body.error?.details).toMatchObject({ required_usdc: expect.any(String) })
    expect((await world.api.get('/v1/payouts', { key: someone.keys.sandbox })).body.data).toHaveLength(2)
  })

  test('is 502 payout_not_created with Retry-After if the bank cannot be reached, and the same key pays later', async () => {
    const key = `order-${randomUUID()}`
    const request = aRequest()
    const before = await balanceOf(payer)
    await world.bank.control('POST', '/outage', { ms: 60_000 })
    const refused = await world.pay(payer, request, { key })
    await world.bank.control('DELETE', '/outage')
    const inBetween = await balanceOf(payer)

    const again = await world.pay(payer, request, { key })

    expect([refused.status, refused.body.error?.code]).toEqual([502, 'payout_not_created'])
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect(inBetween).toBe(before)
    expect([again.status, again.body['status']]).toEqual([201, 'processing'])
    expect(await world.transfersOf(again.body['id'])).toHaveLength(1)
  })

  test('is 502 if the bank reports insufficient funds although our ledger covers the amount', async () => {
    const someone = await world.aPayer()
    const wallet = await findWallet(world.api.db, someone.id, 'sandbox')
    const about = { walletId: wallet?.id ?? '', payoutId: null, createdBy: 'test', at: new Date() }
    await postSet(world.api.db, {
      ...about,
      cause: 'top_up',
      causeRef: 'drift',
      postings: topUpPostings(50_000_000_000n),
    })

    const { status, body } = await world.pay(someone, { amount_gbp: '20000.00' })

    expect([status, body.error?.code]).toEqual([502, 'payout_not_created'])
  })
})

describe('a payout with an unknown outcome', () => {
  test('is 201 pending, and is found at the bank later', async () => {
    await world.bank.fault({ kind: 'reset', stage: 'after', match: toTransfers })

    const { status, body } = await world.pay(payer)

    expect([status, body['status']]).toEqual([201, 'pending'])
    expect(body['quote']).toBeDefined()
    await until('the payout is processing', async () => {
      const { body: now } = await world.api.get(`/v1/payouts/${String(body['id'])}`, { key: payer.keys.sandbox })
      return now['status'] === 'processing'
    })
    expect(await world.transfersOf(body['id'])).toHaveLength(1)
  })
})

// Runs last, because the rate that it sets remains cached for half a minute.
test('a payout refused because the rate has moved is 502, and the retry with the same key gets a new quote', async () => {
  const [key, request] = [`order-${randomUUID()}`, aRequest()]
  await world.bank.fault({ kind: 'rate_jump', sell_rate: '0.77', times: null })

  const refused = await world.pay(payer, request, { key })
  const retried = await world.pay(payer, request, { key })

  expect([refused.status, refused.body.error?.code]).toEqual([502, 'payout_not_created'])
  expect([retried.status, retried.body['wallet_sent_usdc']]).toEqual([201, '157.28'])
  expect(await world.transfersOf(retried.body['id'])).toHaveLength(1)
})

test('the guide’s commands reconcile a month, and a failed payout only once its refund has arrived', async () => {
  const someone = await world.aPayer()
  const from = new Date()
  const completed = await world.pay(someone, {}, { key: 'order-1001' })
  const sent = await world.pay(someone, { amount_gbp: '30.00' }, { key: 'order-1002' })
  const failed = await world.pay(
    someone,
    { recipient: { bank: { account_number: '12340000' } } },
    { key: 'order-1003' },
  )
  await world.bank.fault({ kind: 'status', status: 401, match: toTransfers })
  await world.pay(someone, { amount_gbp: '40.00' }, { key: 'order-1004' })
  await advance(someone, completed.body['id'], delivered)

  const early = await reconcile(someone, from)
  await advance(someone, failed.body['id'], sentBack)
  const late = await reconcile(someone, from)

  expect(early.orders).toEqual({ 'order-1001': 'completed', 'order-1002': 'processing', 'order-1003': 'failed' })
  const [one, two, three] = [completed, sent, failed].map(({ body }) => `-${String(body['wallet_sent_usdc'])}`)
  expect(early.sums).toEqual({ 'order-1001': one, 'order-1002': two, 'order-1003': three, none: '0.00' })
  expect(late.sums).toEqual({ ...early.sums, 'order-1003': '0.00' })
  for (const { opening, moved, closing } of [early, late]) expect(opening + moved).toBe(closing)
  expect(late.completed).toEqual(['order-1001'])
})

const delivered = ['funds_received', 'payment_submitted', 'payment_processed']
const sentBack = ['refund_in_flight', 'refunded']

/** Moves the transfer at the bank, and waits until the payout’s timeline shows the last state. */
async function advance(who: Payer, id: unknown, states: readonly string[]): Promise<void> {
  const [transfer] = await world.transfersOf(id)
  for (const state of states) await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state })
  const event = states === delivered ? 'completed' : 'refunded'
  await until(`the payout is ${event}`, async () => {
    const { body } = await world.api.get(`/v1/payouts/${String(id)}/events`, { key: who.keys.sandbox })
    return body.data?.some((each) => each['event'] === event)
  })
}

/** Follows the steps of docs/guide.md with the files that its commands write. Amounts are in cents. */
async function reconcile(who: Payer, from: Date) {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-guide-'))
  const [, block = ''] = /```sh\n(FROM=.*?)^```$/ms.exec(writeGuide(world.api.url)) ?? []
  const script = block
    .replace(/^FROM=.*$/m, `FROM=${from.toISOString()}`)
    .replace(/^TO=.*$/m, `TO=${new Date(Date.now() + 60_000).toISOString()}`)
    .replace('curl ', 'curl --silent --show-error --fail-with-body ')
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PAYOUTS_KEY: who.keys.sandbox },
  })
  const [created, completed, entries] = ['created', 'completed', 'entries'].map((name) =>
    rowsOf(readFileSync(join(folder, `${name}.csv`), 'utf8')),
  )
  rmSync(folder, { recursive: true })
  const balances = JSON.parse(stdout)
  const keys = new Map(created?.map((row) => [row['id'], row['idempotency_key'] ?? '']))
  const sums: Record<string, number> = {}
  for (const { payout_id, amount_usdc } of entries ?? []) {
    const key = keys.get(payout_id) ?? 'none'
    sums[key] = (sums[key] ?? 0) + centsIn(amount_usdc)
  }
  return {
    orders: Object.fromEntries(created?.map((row) => [row['idempotency_key'], row['status']]) ?? []),
    completed: completed?.map((row) => row['idempotency_key']),
    sums: Object.fromEntries(Object.entries(sums).map(([key, cents]) => [key, (cents / 100).toFixed(2)])),
    opening: centsIn(balances.opening_balance_usdc),
    moved: Object.values(sums).reduce((sum, each) => sum + each, 0),
    closing: centsIn(balances.closing_balance_usdc),
  }
}

const centsIn = (amount: unknown) => Math.round(Number(amount) * 100)

/** No cell in these files contains a comma. */
function rowsOf(csv: string): Record<string, string>[] {
  const [names = [], ...rows] = csv
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])))
}
