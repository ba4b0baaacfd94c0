// The bank is told where its events go: once, and again when that has changed.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { systemClock } from '../../clock'
import { findBankWebhook } from '../../db/bank-webhooks'
import type { Db } from '../../db/database'
import { createRails } from '../../rail/rails'
import { registerWebhooks } from '../../worker/webhooks'
import { type Json, keys, openTestBank, type TestBank } from '../sandbox-bank/bank-client'
import { createDatabase, openDb, type TestDatabase } from '../setup/database'
import { keptLog } from '../setup/kept-logs'

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

test('ten workers that start at once make one webhook for each environment, which is switched on', async () => {
  await Promise.all(Array.from({ length: 10 }, () => register('http://127.0.0.1:1/webhooks/bank')))

  for (const environment of ['sandbox', 'live'] as const) {
    const webhooks = await webhooksOf(environment)
    const known = await findBankWebhook(db, environment)
    expect(webhooks).toMatchObject([{ url: 'http://127.0.0.1:1/webhooks/bank', status: 'active' }])
    expect(known).toMatchObject({ webhookRef: webhooks[0].id, publicKey: webhooks[0].public_key })
  }
})

test('a worker that starts later adds none, and one with another address registers it', async () => {
  await register('http://127.0.0.1:1/webhooks/bank')
  expect(await webhooksOf('sandbox')).toHaveLength(1)

  await register('http://127.0.0.1:2/webhooks/bank')

  expect(await webhooksOf('sandbox')).toHaveLength(2)
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ url: 'http://127.0.0.1:2/webhooks/bank' })
})

test('a bank that is away is told when it is back, and a worker that stops meanwhile does not wait for it', async () => {
  await bank.fault({ kind: 'status', status: 503, match: { path: '/v0/webhooks', environment: 'sandbox' }, times: 2 })
  await register('http://127.0.0.1:3/webhooks/bank')
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ url: 'http://127.0.0.1:3/webhooks/bank' })

  await bank.fault({ kind: 'status', status: 503, match: { path: '/v0/webhooks' }, times: null })
  await register('http://127.0.0.1:4/webhooks/bank', AbortSignal.timeout(300))
  expect(await findBankWebhook(db, 'sandbox')).toMatchObject({ url: 'http://127.0.0.1:3/webhooks/bank' })
})

async function register(webhookUrl: string, signal: AbortSignal = new AbortController().signal): Promise<void> {
  const at = (key: string) => ({ url: `${bank.url}/v0`, key })
  const access = { sandbox: at(keys.sandbox), live: at(keys.live) }
  const rails = createRails({ bank: access, clock: systemClock, timeouts: { connectMs: 500, callMs: 2_000 } })
  await registerWebhooks({ bank: access, webhookUrl }, { db, rails, patience: { log, signal } })
  rails.close()
}

async function webhooksOf(environment: 'sandbox' | 'live'): Promise<Json> {
  return (await bank.get('/webhooks', { environment })).json.data
}
