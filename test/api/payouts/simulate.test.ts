// POST /v1/sandbox/payouts/{id}/simulate sets a transfer's outcome at the sandbox bank. The payout then gets that
// outcome from the bank.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { beforeAll, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { payoutStatuses } from '../../../domain/payouts/payout'
import { bankCodeFor, bankReasons, reasonFor, reasons } from '../../../rail/reasons'
import { type Api, startApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { type Json, keys } from '../../support/bank/client'
import { until } from '../../support/until'

const world = usePayoutWorld()
let payer: Payer

beforeAll(async () => {
  payer = await world.aPayer()
})

async function paid(): Promise<string> {
  const { status, body } = await world.pay(payer)
  expect([status, body['status']]).toEqual([201, 'processing'])
  return String(body['id'])
}

const simulate = (id: string, body: Json, key = payer.keys.sandbox) =>
  world.api.post(`/v1/sandbox/payouts/${id}/simulate`, body, { key })
const read = async (id: string) => (await world.api.get(`/v1/payouts/${id}`, { key: payer.keys.sandbox })).body
const becomes = (id: string, status: string) =>
  until(`${id} is ${status}`, async () => ((await read(id))['status'] === status ? read(id) : null))
const stateOf = async (id: string) => (await world.transfersOf(id))[0]?.state

test('settle completes the payout', async () => {
  const id = await paid()

  const { status, body } = await simulate(id, { outcome: 'settle' })

  expect([status, body]).toEqual([202, { object: 'simulation', payout_id: id, outcome: 'settle' }])
  await becomes(id, 'completed')
  const activity = (await latestActivity(world.api.db, payer.id, 50)).filter(
    ({ action }) => action === 'payout.simulate',
  )
  expect(activity).toEqual([expect.objectContaining({ status: 202, detail: `settle of ${id}`, changes: 'something' })])
})

test('fail makes the payout fail with the chosen reason and refunds it', async () => {
  const id = await paid()

  await simulate(id, { outcome: 'fail', reason: 'account_closed' })

  expect(await becomes(id, 'failed')).toMatchObject({ failure_reason: reasons.account_closed })
  const [transfer] = await world.transfersOf(id)
  await world.bank.control('POST', `/transfers/${transfer?.id}/advance`, {})
  await until('the wallet is refunded', async () => {
    const { body } = await world.api.get(`/v1/payouts/${id}/events`, { key: payer.keys.sandbox })
    return body.data?.some(({ event }) => event === 'refunded')
  })
})

test('fail without a reason uses the default reason', async () => {
  const id = await paid()

  await simulate(id, { outcome: 'fail' })

  expect(await becomes(id, 'failed')).toMatchObject({ failure_reason: reasons.bank_refused })
})

test('return makes the bank return the transfer with the chosen reason, from processing and from completed', async () => {
  const [underWay, completed] = [await paid(), await paid()]
  await simulate(completed, { outcome: 'settle' })
  await becomes(completed, 'completed')

  for (const id of [underWay, completed]) {
    const { status } = await simulate(id, { outcome: 'return', reason: 'recipient_refused' })

    const [transfer] = await world.transfersOf(id)
    expect([status, transfer?.state]).toEqual([202, 'returned'])
    expect(reasonFor(transfer?.return_details.reason)).toBe(reasons.recipient_refused)
  }
})

test('stall leaves the payout in processing, and another outcome can follow', async () => {
  const id = await paid()

  const { status } = await simulate(id, { outcome: 'stall' })

  expect([status, await stateOf(id), (await read(id))['status']]).toEqual([202, 'in_review', 'processing'])
  await simulate(id, { outcome: 'settle' })
  await becomes(id, 'completed')
})

test('a transfer that is already final at the bank cannot be changed, and nothing is reversed', async () => {
  const id = await paid()
  await world.stopWorkers()
  const [transfer] = await world.transfersOf(id)
  await world.bank.control('POST', `/transfers/${transfer?.id}/advance`, { state: 'payment_processed' })

  const answers = await Promise.all(['fail', 'settle', 'stall'].map((outcome) => simulate(id, { outcome })))

  expect(answers.map(({ status, body }) => [status, body.error?.details])).toEqual(
    answers.map(() => [409, { status: 'processing' }]),
  )
  expect(await stateOf(id)).toBe('payment_processed')
  await world.startWorkers()
  await becomes(id, 'completed')
})

test('simulating an outcome that the status does not allow is 409, with the status', async () => {
  for (const status of payoutStatuses) {
    const { id } = await aPayoutRow(world.api, await partnerRow(), { status, transferRef: `none-${status}` })

    const outcomes = await Promise.all(
      ['settle', 'fail', 'stall', 'return'].map((outcome) => simulate(id, { outcome })),
    )

    // The bank does not have this transfer, so a request that reaches the bank is 502.
    const possible =
      status === 'processing' ? [502, 502, 502, 502] : [409, 409, 409, status === 'completed' ? 502 : 409]
    expect([status, outcomes.map((answer) => answer.status)]).toEqual([status, possible])
    const refused = outcomes.filter((answer) => answer.status === 409)
    expect(refused.map(({ body }) => body.error?.details)).toEqual(refused.map(() => ({ status })))
  }
})

test('a live key and an admin in live mode get 403, and other partners get 404', async () => {
  const id = await paid()
  const live = await world.pay(payer, {}, { environment: 'live' })
  const stranger = await world.aPayer()
  const session = await aSession(world.api, payer)
  const order = { outcome: 'settle' }

  const answers = [
    await simulate(id, order, payer.keys.live),
    await simulate(id, { ...order, reason: 'account_closed' }, payer.keys.live),
    await simulate(String(live.body['id']), order, payer.keys.live),
    await world.api.post(`/v1/sandbox/payouts/${String(live.body['id'])}/simulate?environment=live`, order, {
      session,
    }),
    await simulate(String(live.body['id']), order),
    await simulate(id, order, stranger.keys.sandbox),
    await world.api.post(`/v1/sandbox/payouts/${id}/simulate`, order, { session }),
  ]

  expect(answers.map(({ status, body }) => `${status} ${body.error?.code ?? ''}`.trim())).toEqual([
    ...Array(4).fill('403 api_key_required'),
    ...Array(2).fill('404 not_found'),
    '202',
  ])
  expect(await stateOf(String(live.body['id']))).toBe('pending')
})

test('invalid bodies are 422', async () => {
  const id = await paid()
  const wrong = [{}, { outcome: 'explode' }, { outcome: 'fail', reason: 'AC03' }, { outcome: 'fail', more: 1 }]
  const misplaced = [
    { outcome: 'settle', reason: 'account_closed' },
    { outcome: 'stall', reason: 'account_closed' },
  ]

  const answers = await Promise.all([...wrong, ...misplaced].map((body) => simulate(id, body)))

  expect(answers.map(({ status, body }) => `${status} ${body.error?.code}`)).toEqual(
    Array(6).fill('422 invalid_request'),
  )
  expect(await stateOf(id)).toBe('pending')
})

test.each(['settle', 'return'])('%s is 502 within 2.5 seconds when the bank hangs or is down', async (outcome) => {
  const id = await paid()
  const hanging = createServer().listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  const address = hanging.address()
  const port = typeof address === 'object' ? address?.port : 0

  for (const url of [`http://127.0.0.1:${port}/v0`, 'http://127.0.0.1:1/v0']) {
    await withBank(url, async (api) => {
      // Retries, because a busy machine can delay a single answer.
      let tookMs = Number.POSITIVE_INFINITY
      for (let attempts = 0; attempts < 3 && tookMs >= 2_500; attempts++) {
        const begun = performance.now()
        const { status, body } = await ask(api, id, outcome)
        tookMs = performance.now() - begun
        expect([status, body.error?.code]).toEqual([502, 'provider_unavailable'])
      }

      expect(tookMs).toBeLessThan(2_500)
    })
  }
  hanging.close()
  expect(await stateOf(id)).toBe('pending')
})

test('a bank that is not simulated gets no request', async () => {
  const id = await paid()

  await withBank('https://api.bank.test/v0', async (api) => {
    const { status, body } = await ask(api, id)

    expect([status, body.error]).toEqual([
      409,
      expect.objectContaining({ code: 'invalid_state', message: expect.stringContaining('real bank') }),
    ])
  })
})

test('a payout on the simulated rail cannot be simulated at the bank', async () => {
  const partner = await aPartner(world.api)
  const key = await aKey(world.api, partner, 'sandbox')
  const { id } = await aPayoutRow(world.api, partner, { status: 'processing' })

  const { status, body } = await simulate(id, { outcome: 'settle' }, key)

  expect([status, body.error?.message]).toEqual([409, expect.stringContaining('before the sandbox had a bank')])
})

test.each(bankReasons)('the reason %s has a matching code at the sandbox bank', (code) => {
  expect(reasonFor(bankCodeFor(code))).toBe(reasons[code])
})

const ask = (api: Api, id: string, outcome = 'settle') =>
  api.post(`/v1/sandbox/payouts/${id}/simulate`, { outcome }, { key: payer.keys.sandbox })

async function withBank(url: string, work: (api: Api) => Promise<void>): Promise<void> {
  const bank = { sandbox: { url, key: keys.sandbox }, live: null }
  const simulateTimeouts = { connectMs: 500, callMs: 1_000 }
  const api = await startApi({ database: world.api.databaseUrl, bank, simulateTimeouts })
  try {
    await work(api)
  } finally {
    await api.close()
  }
}

async function partnerRow() {
  const [row] = await world.api.db.dataSource.query('SELECT * FROM partners WHERE id = $1', [payer.id])
  return row
}
