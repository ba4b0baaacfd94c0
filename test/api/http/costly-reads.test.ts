// Costly reads: each partner can run only a few at once, on a separate connection pool, and none runs longer
// than two seconds.
import { expect, test } from '@jest/globals'
import { Client } from 'pg'
import { startApi, useApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow, useCaller } from '../../support/api/fixtures'

const api = useApi({ readLimits: { running: 1, waiting: 2, waitMs: 10_000, restFactor: 1, restAtMostMs: 100 } })
const { partner, caller } = useCaller(api)

test('a read that takes longer than two seconds is 503 and names the reason', async () => {
  const held = await holdTotals()
  const answer = await api.get('/v1/usage', caller)
  await held.release()

  expect([answer.status, answer.body.error?.code]).toEqual([503, 'service_unavailable'])
  expect(answer.body.error?.message).toContain('took longer than 2 seconds')
  expect(answer.headers.get('Retry-After')).toBe('5')
  expect((await api.get('/v1/usage', caller)).status).toBe(200)
})

test('a flood from one partner gets 429, and blocks neither its own payouts nor other partners', async () => {
  const other = await aKey(api, await aPartner(api), 'sandbox')
  const held = await holdTotals()
  const flood = Array.from({ length: 20 }, () => api.get('/v1/usage', caller))
  const refused = await Promise.race(flood)

  const elsewhere = await Promise.all([
    ...Array.from({ length: 5 }, () => api.post('/v1/quotes', { amount_gbp: '10.00' }, caller)),
    api.get('/v1/payouts', { key: other }),
    api.get('/v1/account', { key: other }),
  ])
  await held.release()
  const statuses = (await Promise.all(flood)).map(({ status }) => status)

  expect(elsewhere.map(({ status }) => status)).toEqual(elsewhere.map(() => 200))
  expect([refused.status, refused.body.error?.code, refused.headers.get('Retry-After')]).toEqual([
    429,
    'rate_limited',
    '1',
  ])
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(17)
  expect(statuses).toContain(200)
  expect((await api.get('/v1/usage', caller)).status).toBe(200)
})

test('reads that have to wait succeed as long as the queue has space', async () => {
  // A new partner, because a read from an earlier test may still count against that test's partner.
  const key = await aKey(api, await aPartner(api), 'sandbox')
  // Each of these reads is one statement, so one runs and two wait.
  const answers = await Promise.all(['payouts', 'recipients', 'payouts'].map((path) => api.get(`/v1/${path}`, { key })))

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})

test('when one partner’s reads queue up, they run with pauses between them, and other partners do not wait', async () => {
  const resting = await startApi({
    readLimits: { running: 1, waiting: 1, waitMs: 2_000, restFactor: 10_000, restAtMostMs: 60_000 },
  })
  const [one, two] = [await aPartner(resting), await aPartner(resting)]
  const [keyOne, keyTwo] = [await aKey(resting, one, 'sandbox'), await aKey(resting, two, 'sandbox')]
  const held = await holdTotals(resting)
  const reads = Array.from({ length: 3 }, () => resting.get('/v1/usage', { key: keyOne }))
  // The third read is refused immediately, so one is running and one is waiting.
  await Promise.race(reads)
  await held.release()
  const other = await resting.get('/v1/usage', { key: keyTwo })
  const statuses = (await Promise.all(reads)).map(({ status }) => status)
  await resting.close()

  // On a slow machine the first read exceeds its limit of two seconds and gets 503 instead of 200.
  expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  expect(statuses.filter((status) => status === 200 || status === 503)).toHaveLength(1)
  expect(other.status).toBe(200)
})

test('an unfinished download does not block other reads', async () => {
  await aPayoutRow(api, partner)
  const file = await fetch(`${api.url}/v1/payouts.csv`, { headers: { Authorization: `Bearer ${caller.key}` } })

  // Sends the reads one after the other, because the download may be using one of the partner's three turns.
  for (const path of ['usage', 'recipients', 'payouts']) expect((await api.get(`/v1/${path}`, caller)).status).toBe(200)
  await file.body?.cancel()
})

/** A lock that makes every read of the totals wait, as an overloaded database would. */
async function holdTotals({ databaseUrl } = api): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE payout_months IN ACCESS EXCLUSIVE MODE')
  return { release: () => client.end() }
}
