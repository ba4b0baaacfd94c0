// rail pause, status and resume with a real database and Temporal. Each change records the operator.
import { beforeEach, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { testSystem } from '../../support/jest/system'
import { oneSentence, runWith, useTerminal } from '../../support/terminal'

interface State {
  readonly environment: string
  readonly [field: string]: unknown
}

const terminal = useTerminal()
let partnerId: string
let partners = 0

beforeEach(async () => {
  partners += 1
  const argv = ['partner', 'create', '--name', 'Acme Ltd', '--slug', `rail-${partners}`, '--email', 'ada@acme.test']
  partnerId = (await terminal.json<{ id: string }>(...argv)).id
})

const states = async () => (await terminal.json<{ data: State[] }>('rail', 'status')).data
const inLive = (verb: string, ...more: string[]) => terminal.ops('rail', verb, '--environment', 'live', ...more)

test('rail pause and resume affect one environment, and every partner’s activity list records them', async () => {
  const paused = await inLive('pause', '--reason', 'The bank asked us to wait')
  const during = await states()
  const resumed = await inLive('resume')

  expect([paused.code, paused.out]).toEqual([
    0,
    expect.stringMatching(/^The live rail is paused; 0 payouts \(0.00 GBP\) are waiting/),
  ])
  expect(during).toEqual([
    expect.objectContaining({ environment: 'sandbox', state: 'open', since: null, by: null, reason: null }),
    expect.objectContaining({
      environment: 'live',
      state: 'paused',
      by: expect.stringMatching(/^ops:\S+$/),
      reason: 'The bank asked us to wait',
    }),
  ])
  expect([resumed.code, resumed.out]).toEqual([0, expect.stringMatching(/^The live rail is open; 0 payouts are sent/)])
  expect((await states()).map(({ state }) => state)).toEqual(['open', 'open'])
  const { past } = await terminal.json<{ past: object[] }>('rail', 'status')
  expect(past[0]).toMatchObject({
    environment: 'live',
    reason: 'The bank asked us to wait',
    paused_by: expect.stringMatching(/^ops:/),
    resumed_by: expect.stringMatching(/^ops:/),
  })
  expect((await terminal.ops('rail', 'status')).out).toMatch(
    /^Past pauses:\nENVIRONMENT .*\nlive .*The bank asked us to wait/m,
  )
  // Partners must not see the operator's reason.
  const activity = await latestActivity(terminal.db, partnerId, 2)
  const change = { environment: 'live', changes: 'something', madeBy: expect.stringMatching(/^ops:\S+$/), detail: null }
  expect(activity).toEqual([
    expect.objectContaining({ ...change, action: 'rail.resume' }),
    expect.objectContaining({ ...change, action: 'rail.pause' }),
  ])
})

test('a second pause or resume is refused with a message and changes nothing, even concurrently', async () => {
  const pauses = await Promise.all([inLive('pause'), inLive('pause')])
  const again = await inLive('pause', '--reason', 'another')
  const since = (await states())[1]?.['reason']
  const resumes = await Promise.all([inLive('resume'), inLive('resume')])

  for (const two of [pauses, resumes]) expect(new Set(two.map(({ code }) => code))).toEqual(new Set([0, 2]))
  expect([again.code, since]).toEqual([2, null])
  expect(again.err).toMatch(oneSentence)
  const actions = (await latestActivity(terminal.db, partnerId, 10)).map(({ action }) => action)
  expect(actions.filter((action) => action.startsWith('rail.'))).toEqual(['rail.resume', 'rail.pause'])
})

test('rail pause works without Temporal, and resume then reports that waiting payouts are sent at the next poll', async () => {
  const env = { ...terminal.env, TEMPORAL_ADDRESS: '127.0.0.1:1' }
  await runWith(env, ['rail', 'pause', '--environment', 'sandbox'])

  const { code, out } = await runWith(env, ['rail', 'resume', '--environment', 'sandbox'])

  expect([code, out]).toEqual([0, expect.stringContaining('at the next poll, because Temporal does not answer')])
})

test('with Temporal available, resume reports that it woke the waiting payouts', async () => {
  const env = { ...terminal.env, TEMPORAL_ADDRESS: testSystem().temporalAddress, TASK_QUEUE_PREFIX: 'test-rail-ops' }
  await runWith(env, ['rail', 'pause', '--environment', 'sandbox'])

  const { out } = await runWith(env, ['rail', 'resume', '--environment', 'sandbox', '--json'])

  expect(JSON.parse(out)).toMatchObject({ environment: 'sandbox', state: 'open', woken: true })
})
