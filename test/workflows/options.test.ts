// Rules for the timeouts and retries of activities, tested on the proxies that the workflow files create when loaded.
import { expect, jest, test } from '@jest/globals'
import { Client } from '@temporalio/client'
import type { Duration, RetryPolicy } from '@temporalio/common'
import { msToNumber } from '@temporalio/common/lib/time'
import { systemClock } from '../../runtime/clock'
import { mailInvoiceOptions } from '../../workflows/invoices/mail'
import { useDatabase } from '../support/db/database'
import { read, sourceFiles } from '../support/source-imports'
import { testActivities } from '../support/temporal/a-worker'

interface Used {
  readonly name: string
  readonly kind: 'regular' | 'local'
  readonly options: Options
}

interface Options {
  readonly startToCloseTimeout?: Duration
  readonly scheduleToCloseTimeout?: Duration
  readonly heartbeatTimeout?: Duration
  readonly localRetryThreshold?: Duration
  readonly retry?: RetryPolicy
}

/** The longest an activity without heartbeats may run, so that it is retried soon after its worker was lost. */
const longestWithoutHeartbeatMs = 60_000

/** The interval in worker/temporal/activity-interceptors.ts. A busy worker may miss some heartbeats. */
const heartbeatEveryMs = 1_000

/** The timeout that workflows/starts.ts sets. A local activity that waits longer makes the worker lose its task. */
const workflowTaskTimeoutMs = 5_000

const db = useDatabase()
const used: readonly Used[] = [
  ...recordedProxies(),
  // The workflow creates this proxy while it runs, because the activity's queue depends on the workflow's queue.
  { name: 'mailInvoice', kind: 'regular', options: mailInvoiceOptions },
]

test('workflows call exactly the activities that a worker has, each with one set of options', () => {
  const client = new Client()
  const { activities, close } = testActivities({ db, client, queuePrefix: 'test', clock: systemClock })
  close()

  expect(namesOf(used)).toEqual(Object.keys(activities).toSorted())
})

test('every activity has a timeout for one attempt', () => {
  expect(namesOf(used.filter(({ options }) => !(msOf(options.startToCloseTimeout) > 0)))).toEqual([])
})

test('a regular activity that may run for more than a minute has a heartbeat timeout', () => {
  const silent = used.filter(
    ({ kind, options }) =>
      kind === 'regular' &&
      options.heartbeatTimeout === undefined &&
      msOf(options.startToCloseTimeout) > longestWithoutHeartbeatMs,
  )

  expect(namesOf(silent)).toEqual([])
})

test('a heartbeat timeout allows for missed heartbeats, but is much shorter than the attempt’s timeout', () => {
  const beating = used.filter(({ options }) => options.heartbeatTimeout !== undefined)
  const wrong = beating.filter(({ options }) => {
    const ms = msOf(options.heartbeatTimeout)
    return ms < 5 * heartbeatEveryMs || ms > longestWithoutHeartbeatMs || 2 * ms > msOf(options.startToCloseTimeout)
  })

  expect(beating.length).toBeGreaterThan(20)
  expect(namesOf(wrong)).toEqual([])
})

test('the timeout for all attempts leaves time for a second attempt', () => {
  const tooShort = used.filter(
    ({ options }) =>
      options.scheduleToCloseTimeout !== undefined &&
      msOf(options.scheduleToCloseTimeout) < 2 * msOf(options.startToCloseTimeout),
  )

  expect(namesOf(tooShort)).toEqual([])
})

test('every retry policy sets its initial interval, and either a maximum interval or a number of attempts', () => {
  const vague = used.filter(({ options: { retry } }) => {
    const isBounded = retry?.maximumInterval !== undefined || retry?.maximumAttempts !== undefined
    return !(msOf(retry?.initialInterval) > 0) || retry?.maximumAttempts === 1 || !isBounded
  })

  expect(namesOf(vague)).toEqual([])
})

test('an activity that moves money for a payout or an invoice has no retry limit', () => {
  const unending = ['debitPayout', 'submitToRail', 'cancelPayout', 'resolveSubmit', 'pollSettlement', 'chargePayout']
  const others = ['pollReturn', 'issueInvoice', 'markMailed', 'topUpSandbox', 'connectLiveWallet']
  const given = used.filter(({ name }) => [...unending, ...others].includes(name))
  const ending = given.filter(
    ({ options }) => options.scheduleToCloseTimeout !== undefined || options.retry?.maximumAttempts !== undefined,
  )

  expect(given).toHaveLength(unending.length + others.length)
  expect(namesOf(ending)).toEqual([])
})

test('a local activity waits inside its workflow task for less than the task’s timeout', () => {
  const local = used.filter(({ kind }) => kind === 'local')
  const blocking = local.filter(({ options }) => !(msOf(options.localRetryThreshold) < workflowTaskTimeoutMs))

  expect(local.length).toBeGreaterThan(5)
  expect(namesOf(blocking)).toEqual([])
})

test('every error type that a policy does not retry is thrown somewhere', () => {
  const listed = used.flatMap(({ options }) => options.retry?.nonRetryableErrorTypes ?? [])
  const thrown = errorTypes()

  expect(thrown).toContain('PeriodNotOver')
  expect(listed.filter((type) => !thrown.has(type))).toEqual([])
})

/** Loads the workflows with a version of the Temporal package that records each proxy. */
function recordedProxies(): Used[] {
  const recorded: Used[] = []
  const recording = (kind: Used['kind']) => (options: Options) =>
    new Proxy({}, { get: (_, name) => recorded.push({ name: String(name), kind, options }) })
  jest.isolateModules(() => {
    jest.doMock('@temporalio/workflow', () => ({
      ...jest.requireActual<object>('@temporalio/workflow'),
      proxyActivities: recording('regular'),
      proxyLocalActivities: recording('local'),
    }))
    jest.requireActual('../../workflows')
  })
  jest.dontMock('@temporalio/workflow')
  return recorded
}

/** Names of error classes, and types of application failures. */
function errorTypes(): ReadonlySet<string> {
  const thrown = /class (\w+) extends \w*(?:Error|Failure)\b|ApplicationFailure\.\w+\([^;]*?'(\w+)'/g
  const texts = sourceFiles()
    .filter((file) => /^(activities|db|mail|rail|workflows)\//.test(file))
    .map(read)
  return new Set(texts.flatMap((text) => [...text.matchAll(thrown)].flatMap(([, name, type]) => name ?? type ?? [])))
}

function msOf(duration: Duration | undefined): number {
  return duration === undefined ? Number.NaN : msToNumber(duration)
}

function namesOf(activities: readonly Used[]): string[] {
  return activities.map(({ name }) => name).toSorted()
}
