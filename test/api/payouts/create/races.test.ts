// Responses to concurrent requests with the same idempotency key. A test pauses a request at the point where the
// others overtake it, so that every race has one outcome.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { identifyKey } from '../../../../api/http/callers/api-keys'
import { ApiError } from '../../../../api/http/errors'
import { createPayout } from '../../../../api/payouts/create'
import { claimOfKey } from '../../../../api/payouts/lookups'
import { RailUnavailable } from '../../../../rail/rail'
import { type Api, startApi } from '../../../support/api/client'
import { changePartner } from '../../../support/api/fixtures'
import { aRequest, type Payer, usePayoutWorld } from '../../../support/api/payout-world'
import { type Json, until } from '../../../support/bank/client'

// The timeout is long, because workers are stopped and started while a caller waits.
const world = usePayoutWorld({ payouts: { answerTimeoutMs: 120_000 } })
let payer: Payer

beforeAll(async () => {
  payer = await world.aPayer()
})
afterEach(async () => {
  await world.bank.control('DELETE', '/faults')
  await world.bank.control('DELETE', '/outage')
})
const newKey = () => `order-${randomUUID()}`
const toAccounts = { method: 'POST', path: '/v0/customers/*' }

interface Answered {
  readonly status: number
  readonly code?: string
  readonly body?: Json
  readonly details?: unknown
}

/** Starts a request and pauses it after it has read the row of its key. The returned function continues it. */
async function arrive(
  request: Json,
  key: string,
  { deps }: Api = world.api,
  apiKey = payer.keys.sandbox,
): Promise<() => Promise<Answered>> {
  const { caller, found } = await identifyKey(apiKey, key, claimOfKey, deps)
  const about = { caller, found, mayOnlyRepeat: null, requestId: randomUUID() }
  const read = {
    params: {},
    query: {},
    body: request,
    header: () => '',
    address: () => '',
    recheckCaller: async () => {},
  }
  return async () => {
    try {
      const { status = 200, body } = await createPayout({ ...about, ...read }, deps)
      return { status, body }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, code: error.code, details: error.options.details }
    }
  }
}

/** A payout that is claimed but not decided, because no worker is running until the test starts one. */
async function anUndecided(request: Json, key: string) {
  await world.stopWorkers()
  const answer = world.pay(payer, request, { key })
  const id = await until('the payout is claimed', async () => {
    const [row] = await world.api.db.dataSource.query('SELECT id FROM payouts WHERE idempotency_key = $1', [key])
    return row?.id
  })
  return { id: String(id), answer }
}

function aGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

const statusOfRead = async (id: unknown) =>
  (await world.api.get(`/v1/payouts/${String(id)}`, { key: payer.keys.sandbox })).status

describe('a repeated request for an attempt that is refused', () => {
  async function aStaleJoiner(request: Json, key: string) {
    const { answer } = await anUndecided(request, key)
    const joiner = await arrive(request, key)
    await world.bank.fault({ kind: 'status', status: 400, code: 'invalid_parameters', match: toAccounts })
    await world.startWorkers()
    expect((await answer).status).toBe(422)
    return joiner
  }

  test('gets that refusal if the key was not used again', async () => {
    const joiner = await aStaleJoiner(aRequest(), newKey())

    expect(await joiner()).toMatchObject({ status: 422, code: 'recipient_account_rejected' })
  })

  test('gets the payout if the key has paid in the meantime', async () => {
    const [key, request] = [newKey(), aRequest()]
    const joiner = await aStaleJoiner(request, key)
    const again = await world.pay(payer, request, { key })

    const { status, body } = await joiner()

    expect([again.status, status, body?.id]).toEqual([201, 200, again.body['id']])
    expect(await world.transfersOf(again.body['id'])).toHaveLength(1)
  })

  test('gets idempotency_key_reused if the key has paid for another body in the meantime', async () => {
    const [key, request] = [newKey(), aRequest()]
    const joiner = await aStaleJoiner(request, key)
    const other = await world.pay(payer, { ...request, amount_gbp: '3.00' }, { key })

    expect(await joiner()).toEqual({
      status: 422,
      code: 'idempotency_key_reused',
      details: { payout_id: other.body['id'], differing_fields: ['amount_gbp'] },
    })
  })
})

describe('a different body with a key whose payout is undecided', () => {
  test('waits, and pays when that payout is refused', async () => {
    const [key, request] = [newKey(), aRequest()]
    const { answer } = await anUndecided(request, key)
    const other = (await arrive({ ...request, amount_gbp: '2.00' }, key))()
    await world.bank.fault({ kind: 'status', status: 400, code: 'invalid_parameters', match: toAccounts })
    await world.startWorkers()

    const { status, body } = await other

    expect([(await answer).status, status, body?.amount_gbp]).toEqual([422, 201, '2.00'])
  })

  test('waits, and is refused with the ID of that payout, which the caller can read', async () => {
    const [key, request] = [newKey(), aRequest()]
    const { answer, id } = await anUndecided(request, key)
    const other = (await arrive({ ...request, amount_gbp: '2.00' }, key))()
    await world.startWorkers()

    const { code, details } = await other

    expect([code, details]).toEqual(['idempotency_key_reused', { payout_id: id, differing_fields: ['amount_gbp'] }])
    expect([await statusOfRead(id), (await answer).status]).toEqual([200, 201])
  })

  test('is refused after the time limit with the ID of that payout, which is acknowledged from then on', async () => {
    const [key, request] = [newKey(), aRequest()]
    const { answer, id } = await anUndecided(request, key)
    const hasty = await startApi({ database: world.api.databaseUrl, answerTimeoutMs: 200 })

    const { code } = await (await arrive({ ...request, amount_gbp: '2.00' }, key, hasty))()

    expect([code, await statusOfRead(id)]).toEqual(['idempotency_key_reused', 200])
    await hasty.close()
    await world.startWorkers()
    expect((await answer).status).toBe(201)
  })
})

describe('a replay that was overtaken by the first request is still 200', () => {
  test('while there is no rate', async () => {
    const [key, request] = [newKey(), aRequest()]
    const [asked, paidFirst] = [aGate(), aGate()]
    const rate = async () => {
      asked.open()
      await paidFirst.opened
      throw new RailUnavailable('rate')
    }
    const cold = await startApi({ database: world.api.databaseUrl, rails: { provider_sandbox: { rate } } })
    const headers = { 'Idempotency-Key': key }
    const overtaken = cold.post('/v1/payouts', request, { key: payer.keys.sandbox, headers })
    await asked.opened
    const paid = await world.pay(payer, request, { key })
    paidFirst.open()

    const { status, body } = await overtaken
    const fresh = await cold.post('/v1/payouts', request, {
      key: payer.keys.sandbox,
      headers: { 'Idempotency-Key': newKey() },
    })

    await cold.close()
    expect([paid.status, status, body['id']]).toEqual([201, 200, paid.body['id']])
    expect([fresh.status, fresh.body.error?.code]).toEqual([502, 'payout_not_created'])
  })

  test('when the first request has emptied the wallet', async () => {
    payer = await world.aPayer()
    const [key, request] = [newKey(), aRequest({ amount_gbp: '7000.00' })]
    const overtaken = await arrive(request, key)
    const paid = await world.pay(payer, request, { key })

    const { status, body } = await overtaken()

    expect([paid.status, status, body?.id]).toEqual([201, 200, paid.body['id']])
    expect((await world.pay(payer, request)).status).toBe(402)
  })
})

test('a released key is refused while the bank reports a transfer for it that no operator has resolved', async () => {
  const [request, key] = [aRequest(), newKey()]
  await world.bank.fault({ kind: 'status', status: 401, match: { method: 'POST', path: '/v0/transfers' } })
  const released = await world.pay(payer, request, { key })
  await world.api.db.dataSource.query(
    "UPDATE payouts SET attention = 'bank_contradicts_payment_submitted' WHERE idempotency_key = $1",
    [key],
  )

  const again = await world.pay(payer, request, { key })

  expect([released.status, again.status]).toEqual([502, 503])
  await world.api.db.dataSource.query('UPDATE payouts SET attention = NULL WHERE idempotency_key = $1', [key])
  expect((await world.pay(payer, request, { key })).status).toBe(201)
})

test('a live payout is refused when verification is withdrawn after authorization', async () => {
  const withdrawn = await world.aPayer()
  const paying = await arrive(aRequest(), newKey(), world.api, withdrawn.keys.live)
  await changePartner(world.api, withdrawn, { verificationStatus: 'rejected' })

  expect(await paying()).toMatchObject({ status: 403, code: 'verification_required' })
  const rows = await world.api.db.dataSource.query('SELECT id FROM payouts WHERE partner_id = $1', [withdrawn.id])
  expect(rows).toEqual([])
})
