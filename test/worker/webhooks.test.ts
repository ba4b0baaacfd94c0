// The worker registers our webhook URL with the bank once, and again when it changes.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { repairWebhook } from '../../activities/bank/webhooks'
import { findBankWebhook } from '../../db/bank/webhooks'
import type { Db } from '../../db/database'
import { createRails } from '../../rail/rails'
import { systemClock } from '../../runtime/clock'
import { registerWebhooks } from '../../worker/run'
import { type Json, keys, openTestBank, type TestBank } from '../support/bank/client'
import { createDatabase, openDb, type TestDatabase } from '../support/db/database'
import { keptLog } from '../support/kept-logs'

const log = keptLog()
let database: TestDatabase
let db: Db
let bank: TestBank

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb(database.url, 10)
  bank = await openTestBank({ fsync: 'off' })
})

afterAll(async () => {
  await bank.close()
  await db.close()
  await database.drop()
})

test('ten workers that start concurrently create one enabled webhook for each environment', async () => {
  await Promise.all(Array.from({ length: 10 }, () => register('http://127.0.0.1:1/webhooks/bank')))

  for (const environment of ['sandbox', 'live'] as const) {
    const webhooks = await webhooksOf(environment)
    const known = await findBankWebhook(db, environment)
    expect(webhooks).toMatchObject([{ url: 'http://127.0.0.1:1/webhooks/bank', status: 'active' }])
    expect(known).toMatchObject({ webhookRef: webhooks[0].id, publicKey: webhooks[0].public_key })
  }
})

test('a later worker adds no webhook, but a worker with another URL registers it and disables the old one', async () => {
  await register('http://127.0.0.1:1/webhooks/bank')
  expect(await webhooksOf('sandbox')).toHaveLength(1)

  await register('http://127.0.0.1:2/webhooks/bank')

  expect(await statusesOf('sandbox')).toEqual(['2 active', '1 disabled'])
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ url: 'http://127.0.0.1:2/webhooks/bank' })
})

test('the old webhook is disabled even if the first request fails, and ignored if the bank no longer has it', async () => {
  const known = await findBankWebhook(db, 'sandbox')
  await bank.fault({ kind: 'status', status: 503, match: { method: 'PUT', path: `/v0/webhooks/${known?.webhookRef}` } })
  await register('http://127.0.0.1:5/webhooks/bank')
  expect(await statusesOf('sandbox')).toEqual(['5 active', '2 disabled', '1 disabled'])

  const last = await findBankWebhook(db, 'sandbox')
  await bank.send('DELETE', `/webhooks/${last?.webhookRef}`)
  await register('http://127.0.0.1:6/webhooks/bank')
  expect(await statusesOf('sandbox')).toEqual(['6 active', '2 disabled', '1 disabled'])
})

test('the next worker that starts enables a webhook that the bank disabled, and registers a deleted one again', async () => {
  const known = await findBankWebhook(db, 'sandbox')
  await bank.send('PUT', `/webhooks/${known?.webhookRef}`, { status: 'disabled' })
  await register('http://127.0.0.1:6/webhooks/bank')
  expect(await statusesOf('sandbox')).toEqual(['6 active', '2 disabled', '1 disabled'])
  expect(await findBankWebhook(db, 'sandbox')).toEqual(known)

  await bank.send('DELETE', `/webhooks/${known?.webhookRef}`)
  await register('http://127.0.0.1:6/webhooks/bank')
  expect(await statusesOf('sandbox')).toEqual(['6 active', '2 disabled', '1 disabled'])
  const [registered] = await webhooksOf('sandbox')
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ webhookRef: registered.id })
  expect(registered.id).not.toBe(known?.webhookRef)
})

test('the webhook is registered once an unavailable bank is back, and a stopping worker does not wait for the bank', async () => {
  await bank.fault({ kind: 'status', status: 503, match: { path: '/v0/webhooks', environment: 'sandbox' }, times: 2 })
  await register('http://127.0.0.1:3/webhooks/bank')
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ url: 'http://127.0.0.1:3/webhooks/bank' })

  await bank.fault({ kind: 'status', status: 503, match: { path: '/v0/webhooks' }, times: null })
  await register('http://127.0.0.1:4/webhooks/bank', AbortSignal.timeout(300))
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ url: 'http://127.0.0.1:3/webhooks/bank' })
})

test('without a webhook URL no webhook is active, so the bank sends no events', async () => {
  await bank.control('DELETE', '/faults')
  await register(null)

  for (const environment of ['sandbox', 'live'] as const) {
    expect((await webhooksOf(environment)).filter(({ status }: Json) => status === 'active')).toEqual([])
    expect(await findBankWebhook(db, environment)).toBeNull()
  }
})

test.each([
  ['the bank still has', false],
  ['the bank has deleted', true],
])('repairing a webhook that %s does not undo a change to the URL', async (_, isDeleted) => {
  await register('http://127.0.0.1:8/webhooks/bank')
  const known = await findBankWebhook(db, 'sandbox')
  if (isDeleted) await bank.send('DELETE', `/webhooks/${known?.webhookRef}`)
  const rails = openRails()
  const rail = {
    ...rails.provider_sandbox,
    enableWebhook: async (webhookRef: string) => {
      await register('http://127.0.0.1:9/webhooks/bank')
      return rails.provider_sandbox.enableWebhook(webhookRef)
    },
  }

  const isRepaired = await repairWebhook({ db, clock: systemClock, rail }, 'sandbox')
  rails.close()

  expect(isRepaired).toBe(false)
  const active = (await statusesOf('sandbox')).filter((status) => status.endsWith('active'))
  expect(active).toEqual(['9 active'])
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ url: 'http://127.0.0.1:9/webhooks/bank' })
  await register(null)
})

async function register(webhookUrl: string | null, signal: AbortSignal = new AbortController().signal): Promise<void> {
  const rails = openRails()
  await registerWebhooks({ bank: access(), webhookUrl }, { db, rails, waiting: { log, signal } })
  rails.close()
}

function openRails() {
  return createRails({ bank: access(), clock: systemClock, timeouts: { connectMs: 20_000, callMs: 20_000 } })
}

function access() {
  const at = (key: string) => ({ url: `${bank.url}/v0`, key })
  return { sandbox: at(keys.sandbox), live: at(keys.live) }
}

/** The port and status of each webhook, newest first. */
async function statusesOf(environment: 'sandbox' | 'live'): Promise<string[]> {
  return (await webhooksOf(environment)).map(({ url, status }: Json) => `${new URL(url).port} ${status}`)
}

async function webhooksOf(environment: 'sandbox' | 'live'): Promise<Json> {
  return (await bank.get('/webhooks', { environment })).json.data
}
