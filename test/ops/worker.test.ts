// worker list and worker drain with a real database. A drain records the operator.
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { latestActivity } from '../../db/controls/activity'
import { insertWorker, type OwnState, recordHeartbeat, type WorkerProcess } from '../../db/controls/workers'
import { testSystem } from '../support/jest/system'
import { oneSentence, runWith, useTerminal } from '../support/terminal'
import { until } from '../support/until'

interface Listed {
  readonly id: string
  readonly state: string
  readonly [field: string]: unknown
}

const terminal = useTerminal()
let partnerId: string

beforeAll(async () => {
  const argv = ['partner', 'create', '--name', 'Acme Ltd', '--slug', 'acme', '--email', 'ada@acme.test']
  partnerId = (await terminal.json<{ id: string }>(...argv)).id
})
beforeEach(() => terminal.db.dataSource.query('TRUNCATE workers'))

const listed = async () => (await terminal.json<{ data: Listed[] }>('worker', 'list')).data
const drain = (id: string, ...more: string[]) => terminal.ops('worker', 'drain', '--worker', id, ...more)
const drains = async () =>
  (await latestActivity(terminal.db, partnerId, 50)).filter(({ action }) => action === 'worker.drain')

test('worker list shows each worker with its state, running ones first, and omits those lost for over a week', async () => {
  await aWorker('aaaaaa')
  await aWorker('bbbbbb', { state: 'draining' })
  await aWorker('cccccc', { state: 'drained' })
  await aWorker('dddddd', { state: 'ended' })
  await aWorker('eeeeee', { silentFor: '31 s' })
  await aWorker('ffffff', { silentFor: '8 days' })
  await aWorker('gggggg', { silentFor: '6 days', startedAt: new Date('2026-11-01T00:00:00.000Z') })
  await aWorker('hhhhhh', { startedAt: new Date('2026-11-14T00:00:00.000Z') })

  expect((await listed()).map(({ id, state }) => [id, state])).toEqual([
    ['aaaaaa', 'working'],
    ['bbbbbb', 'draining'],
    ['cccccc', 'drained'],
    ['hhhhhh', 'working'],
    ['dddddd', 'ended'],
    ['eeeeee', 'gone'],
    ['gggggg', 'gone'],
  ])
  const { out } = await terminal.ops('worker', 'list')
  expect(out).toMatch(
    /^ID +STATE +HOST +PID +VERSION +SINCE +LAST SEEN +DRAINING SINCE +BY\naaaaaa +working +host-1 +41 /,
  )
})

test('worker drain requests a drain, waits for its end and reports it, and the activity lists name the operator', async () => {
  const worker = await aWorker('aaaaaa')
  await aWorker('bbbbbb')

  const asking = drain('aaaaaa')
  await until('the worker reads the request', () => recordHeartbeat(terminal.db, worker, 'working'))
  const [during] = await listed()
  await recordHeartbeat(terminal.db, worker, 'drained')
  const { code, out } = await asking

  expect(during).toMatchObject({ id: 'aaaaaa', state: 'draining', asked_by: expect.stringMatching(/^ops:\S+$/) })
  expect([code, out]).toEqual([
    0,
    'Worker aaaaaa was asked to drain.\nWorker aaaaaa is drained: process 41 on host-1 stays idle until you stop it.\n',
  ])
  expect(await drains()).toEqual([
    expect.objectContaining({
      changes: 'something',
      environment: null,
      detail: 'aaaaaa',
      madeBy: expect.stringMatching(/^ops:\S+$/),
    }),
  ])
})

test('a second drain command also waits, and the activity list records one drain', async () => {
  const worker = await aWorker('aaaaaa')
  await aWorker('bbbbbb')
  const before = (await drains()).length

  const first = await drain('aaaaaa', '--wait', '0')
  const late = await drain('aaaaaa', '--wait', '1')
  await recordHeartbeat(terminal.db, worker, 'ended')
  const joined = await drain('aaaaaa')

  expect([first.code, first.out]).toEqual([0, 'Worker aaaaaa was asked to drain.\n'])
  expect([late.code, late.out]).toEqual([
    1,
    'Worker aaaaaa is already draining.\nWorker aaaaaa is still draining: `worker list` shows when it is drained.\n',
  ])
  expect([joined.code, joined.err]).toEqual([2, expect.stringMatching(/^Worker aaaaaa ended at \S+\.\n$/)])
  expect(await drains()).toHaveLength(before + 1)
})

test('drain stops waiting for a worker that ends or is lost', async () => {
  const [ending, lost] = [await aWorker('aaaaaa'), await aWorker('bbbbbb')]
  await aWorker('cccccc')

  const both = Promise.all([drain(ending.id), drain(lost.id)])
  await until(
    'both workers read the request',
    async () => (await listed()).filter(({ state }) => state === 'draining').length === 2,
  )
  await recordHeartbeat(terminal.db, ending, 'ended')
  await setLastHeartbeat(lost.id, '31 s')
  const [ended, gone] = await both

  expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('its process has ended')])
  expect([gone.code, gone.out]).toEqual([1, expect.stringContaining('Worker bbbbbb was lost while draining')])
})

test.each<[string, Parameters<typeof aWorker>[1] | null, RegExp]>([
  ['does not exist', null, /^There is no worker aaaaaa\.\n$/],
  ['is gone', { silentFor: '31 s' }, /^Worker aaaaaa is gone: its last heartbeat was at \S+Z\.\n$/],
  ['has ended', { state: 'ended' }, /^Worker aaaaaa ended at \S+Z\.\n$/],
  ['is drained', { state: 'drained' }, /^Worker aaaaaa was drained at \S+Z\.\n$/],
])('draining a worker that %s is refused with a message, and nothing is written', async (_, about, sentence) => {
  if (about) await aWorker('aaaaaa', about)
  await aWorker('bbbbbb')
  const before = await drains()

  const { code, err } = await drain('aaaaaa')

  expect([code, err]).toEqual([2, expect.stringMatching(sentence)])
  expect(err).toMatch(oneSentence)
  expect(await drains()).toEqual(before)
})

test.each<[string, () => Promise<unknown>]>([
  ['is the only one', async () => {}],
  ['shares the system only with a drained one', () => aWorker('bbbbbb', { state: 'drained' })],
  ['shares the system only with one that is gone', () => aWorker('bbbbbb', { silentFor: '31 s' })],
  ['is the only one of its system', () => aWorker('bbbbbb', { taskQueues: ['other-payouts-live'] })],
])('draining a worker that %s needs a confirmation', async (_, others) => {
  await aWorker('aaaaaa')
  await others()

  const refusal = await drain('aaaaaa')
  const allowed = await drain('aaaaaa', '--last', 'allow', '--wait', '0')

  expect([refusal.code, refusal.err]).toEqual([
    2,
    expect.stringMatching(/^Worker aaaaaa is the only one that serves all its queues: /),
  ])
  expect(refusal.err).toMatch(oneSentence)
  expect(allowed.code).toBe(0)
})

test('one of two concurrent drains of the last two workers is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    await terminal.db.dataSource.query('TRUNCATE workers')
    await Promise.all([aWorker('aaaaaa'), aWorker('bbbbbb')])

    const both = await Promise.all(['aaaaaa', 'bbbbbb'].map((id) => drain(id, '--wait', '0')))

    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]))
  }
})

test('a heartbeat restores a worker’s lost row with its progress, but never reopens a worker that has ended', async () => {
  const worker = await aWorker('aaaaaa', { state: 'drained' })
  await terminal.db.dataSource.query('TRUNCATE workers')

  const isToDrain = await recordHeartbeat(terminal.db, worker, 'drained')
  const [again] = await listed()
  await recordHeartbeat(terminal.db, worker, 'ended')
  await recordHeartbeat(terminal.db, worker, 'working')

  expect([isToDrain, again?.state]).toEqual([true, 'drained'])
  expect((await listed()).map(({ state }) => state)).toEqual(['ended'])
  expect(await insertWorker(terminal.db, worker)).toBe(false)
})

test('worker versions explains how to enable versioning', async () => {
  const env = {
    ...terminal.env,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    TASK_QUEUE_PREFIX: 'no-such-deployment',
  }

  const { code, err } = await runWith(env, ['worker', 'versions'])

  expect(code).toBe(2)
  expect(err).toBe('No worker has run with WORKER_VERSIONING=on: set it for the workers, and start one.\n')
})

interface About {
  readonly state?: OwnState
  readonly silentFor?: string
  readonly taskQueues?: string[]
  readonly startedAt?: Date
}

let started = 0

/**
 * Registers a worker as its process does. Each worker starts earlier than the previous one, so that `worker list`
 * shows them in the order of registration.
 */
async function aWorker(id: string, about: About = {}): Promise<WorkerProcess> {
  started += 1
  const startedAt = new Date(Date.parse('2026-11-15T11:00:00.000Z') - started * 1_000)
  const queues = ['payouts-sandbox', 'payouts-live']
  const worker = { id, host: 'host-1', pid: 41, version: '1.3.0', startedAt, taskQueues: queues, ...about }
  await insertWorker(terminal.db, worker)
  if (about.state) await recordHeartbeat(terminal.db, worker, about.state)
  if (about.silentFor) await setLastHeartbeat(id, about.silentFor)
  return worker
}

async function setLastHeartbeat(id: string, since: string): Promise<void> {
  await terminal.db.dataSource.query(`UPDATE workers SET seen_at = now() - $2::interval WHERE id = $1`, [id, since])
}
