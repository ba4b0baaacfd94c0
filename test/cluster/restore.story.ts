// Follows the restore procedure in docs/operations/backup.md, with an empty PostgreSQL, an empty Temporal server and
// payouts in flight.
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { migrate } from '../../db/migrate'
import { choosePort } from '../../local/ports'
import { startTemporal, type TemporalServer } from '../../local/temporal/start'
import { driftsOf } from '../chaos/at-rest'
import type { Json } from '../support/bank/client'
import { asApplication } from '../support/db/app-role'
import { testSystem } from '../support/jest/system'
import { type Answer, openWorld, type World } from '../support/system/world'
import { until } from '../support/until'
import { dump, type InstalledPostgres, restore, startInstalled } from './installed-postgres'

jest.setTimeout(300_000)

const folder = mkdtempSync(join(tmpdir(), 'payouts-restore-'))
const toTransfers = { method: 'POST', path: '/v0/transfers' }
let port: number
let postgres: InstalledPostgres
let temporal: TemporalServer
let world: World

beforeAll(async () => {
  // When root runs this test, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o777)
  port = await choosePort(0)
  postgres = await startInstalled(join(folder, 'first'), port)
  temporal = await anEmptyTemporal(0)
  await migrate(postgres.url)
  world = await openWorld({ databaseUrl: postgres.url, temporalAddress: temporal.address })
})
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await temporal.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('after a restore in the documented order with an empty Temporal, every payout completes and none is paid twice', async () => {
  const over = await pay(5)
  await world.allSettled(over)
  await world.bank.fault({ kind: 'stuck', state: 'pending', times: null })
  const onTheirWay = await pay(5)
  const answerLost = await payWith({ kind: 'reset', stage: 'after' })
  const neverArrived = await payWith({ kind: 'reset', stage: 'before' })
  await world.worker.kill()
  const sentLater = await pay(3)
  const file = join(folder, 'payouts.dump')

  await dump(postgres.url, file)
  await world.worker.start()
  const transfers = await Promise.all(sentLater.map(({ body }) => world.reached(body.id, isSent)))
  await Promise.all([world.api.kill(), world.worker.kill()])
  await Promise.all([postgres.kill(), loseTemporal()])
  postgres = await startInstalled(join(folder, 'second'), port)
  temporal = await anEmptyTemporal(Number(temporal.address.split(':')[1]))
  await asApplication(postgres.url)
  await restore(postgres.url, file)
  await migrate(postgres.url)
  await until('our own connections are back', () => world.db.ping().then(yes, no))
  await world.bank.control('DELETE', '/faults')
  for (const environment of ['sandbox', 'live']) await world.ops('rail', 'pause', '--environment', environment)
  const named = await proof()
  await world.worker.start()
  await world.api.start()
  await world.sweep()
  await until('payouts that were unsent in the backup are set aside', () => areDebited(sentLater))

  // The proof names the transfers made after the backup. While the rails are paused, no payout is sent again.
  expect(named).toEqual(expect.arrayContaining(transfers.map(({ transfer_ref }) => transfer_ref)))
  const whilePaused = await pay(1)
  expect(await Promise.all([...sentLater, ...whilePaused].map(transferOf))).toEqual([null, null, null, null])

  for (const environment of ['sandbox', 'live']) await world.ops('rail', 'resume', '--environment', environment)
  const open = [...onTheirWay, ...answerLost, ...neverArrived, ...sentLater, ...whilePaused]
  await moveOn(open)
  const rows = await world.allSettled([...over, ...open])
  expect(rows.map(({ status }) => status)).toEqual(Array(20).fill('completed'))
  for (const { body } of [...over, ...open]) expect(await world.transfersOf(body.id)).toHaveLength(1)
  const again = await world.get(`/v1/payouts/${over[0]?.body.id}`)
  expect(again.body.status).toBe('completed')
  await world.judge()
  expect(await driftsOf(world)).toEqual([])
})

function isSent({ transfer_ref: ref }: Json): boolean {
  return ref !== null
}

async function areDebited(answers: readonly Answer[]): Promise<boolean> {
  const sql = `SELECT DISTINCT payout_id FROM ledger_sets WHERE cause = 'debit' AND payout_id = ANY ($1)`
  const rows: unknown[] = await world.db.dataSource.query(sql, [answers.map(({ body }) => body.id)])
  return rows.length === answers.length
}

async function transferOf({ body }: Answer): Promise<unknown> {
  return (await world.row(body.id)).transfer_ref
}

/** Runs the proof command, which exits with 1 if there is a drift, and returns the drifts' subjects. */
async function proof(): Promise<unknown[]> {
  const result = await world.ops('proof').catch(({ stdout }) => JSON.parse(stdout))
  return result.data.map(({ subject }: Json) => subject)
}

function pay(many: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: many }, () => payAtLast(`order-${randomUUID()}`)))
}

/** Retries, because a busy machine may be too slow to answer. The API then releases the key. */
function payAtLast(key: string): Promise<Answer> {
  return until('the payout is accepted', async () => {
    const answer = await world.pay({ amount_gbp: '5.00' }, { key })
    return answer.status < 300 ? answer : null
  })
}

/** Makes three payouts whose bank calls fail with this fault. */
async function payWith(fault: object): Promise<Answer[]> {
  const id = await world.bank.fault({ ...fault, times: null, match: toTransfers })
  const answers = await pay(3)
  expect(answers.map(({ body }) => body.status)).toEqual(['pending', 'pending', 'pending'])
  await world.bank.control('DELETE', `/faults/${id}`)
  return answers
}

/** Advances the transfers that the `stuck` fault has stopped at the bank. */
async function moveOn(answers: readonly Answer[]): Promise<void> {
  for (const { body } of answers) {
    for (const { id, state } of await world.transfersOf(body.id)) {
      if (state !== 'pending') continue
      await world.bank.control('POST', `/transfers/${id}/advance`, { state: 'payment_processed' })
    }
  }
}

async function loseTemporal(): Promise<void> {
  process.kill(temporal.pid, 'SIGKILL')
  await temporal.exited
}

/** The server stores everything in memory, so the next one starts empty. */
async function anEmptyTemporal(preferredPort: number): Promise<TemporalServer> {
  return startTemporal({
    cli: testSystem().temporalCli,
    logFile: join(folder, 'temporal.log'),
    dbFile: null,
    preferredPort,
    preferredUiPort: null,
  })
}

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}
