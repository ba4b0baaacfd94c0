// A workflow that is started manually without input, or with invalid input, fails immediately with a message,
// and never hangs.
import { describe, expect, test } from '@jest/globals'
import { WorkflowFailedError } from '@temporalio/client'
import { ActivityFailure } from '@temporalio/common'
import { systemClock } from '../../runtime/clock'
import * as workflows from '../../workflows'
import { useWorker } from '../support/temporal/a-worker'

/** These workflows need no input, not even from their Schedules, and ignore any input. */
const needNothing = ['changedTransfers', 'verifyAudit']
const needSomething = Object.keys(workflows).filter((type) => !needNothing.includes(type))

const inWords: Readonly<Record<string, string>> = {
  sweep: 'like {"pageSize": 50, "pages": 100}, with pageSize from 1 to 1000 and pages from 1 to 1000',
  sealAudit: 'like {"batchSize": 5000, "batches": 100}, with batchSize from 1 to 10000 and batches from 1 to 1000',
  pruneActivity:
    'like {"batchSize": 5000, "batchesPerRun": 200}, with batchSize from 1 to 10000 and batchesPerRun from 1 to 1000',
  payout:
    'an object with payoutId (a UUID), attempt (a whole number of at least 1), pollMs (a list of durations of at least 10 ms, in milliseconds)',
  walletReading: 'an object with walletId (a UUID), readings (a whole number of at least 1)',
  invoice: 'an object with partnerId (a UUID), period (a month such as 2026-10)',
}

const worker = useWorker({ clock: systemClock })
let started = 0

describe.each(needSomething)('%s', (type) => {
  test.each(['[]', '[{}]', '[null]', '["x"]'])(
    'fails immediately with %s, and names the expected input',
    async (args) => {
      const sentence = await failureOf(type, JSON.parse(args))

      expect(sentence).toMatch(/^The input must be .+\.$|^Specify the month to bill, such as /)
    },
  )
})

test.each([
  ['sweep', { pageSize: '50', pages: 100 }],
  ['sweep', { pageSize: 50 }],
  ['sealAudit', { batches: 100 }],
  ['sealAudit', { batchSize: 0, batches: 100 }],
  ['pruneActivity', { batchSize: 5_000 }],
  ['pruneActivity', { batchSize: 5_000, batchesPerRun: 1.5 }],
  ['payout', { payoutId: 'order-1001', attempt: 1, pollMs: [1_000] }],
  ['payout', { payoutId: '01a1de6a-e6e1-7be3-9f59-39b6dadbb6c8', attempt: 1, pollMs: 1_000 }],
  ['payout', { payoutId: '01a1de6a-e6e1-7be3-9f59-39b6dadbb6c8', attempt: 1, pollMs: [-1] }],
  ['walletReading', { walletId: '01a1de6a-e6e1-7be3-9f59-39b6dadbb6c8', readings: 0 }],
  ['invoice', { partnerId: '01a1de6a-e6e1-7be3-9f59-39b6dadbb6c8', period: '2026-13' }],
])('%s with %j fails and names each expected field', async (type, input) => {
  expect(await failureOf(type, [input])).toBe(`The input must be ${inWords[type]}.`)
})

const nothingSwept = { looked: 0, started: 0, connecting: 0, woken: 0, overdue: 0, failed: 0 }
const nothingProved = { wallets: 0, drifts: 0, fresh: 0, busy: 0, failed: 0 }

test.each([
  ['sweep', { from: null }, nothingSwept],
  ['sweep', { from: { stage: 'nowhere' } }, nothingSwept],
  ['walletReadings', { from: 1 }, undefined],
  ['proof', { from: null, sofar: 'x' }, nothingProved],
  ['verifications', { after: 1, started: 'x' }, 0],
])('%s starts at the beginning, even if its input contains the made-up position %j', async (type, madeUp, result) => {
  const handle = await begin(type, [{ pageSize: 50, pages: 100, ...madeUp }])

  expect(await handle.result()).toEqual(result)
})

test.each(needNothing)('%s needs no input, and ignores any input', async (type) => {
  for (const args of [[], [{}], [null], ['x']]) expect(await (await begin(type, args)).result()).toBeDefined()
})

/** The message of the root cause, which may be an activity's error. */
async function failureOf(type: string, args: unknown[]): Promise<string | undefined> {
  const handle = await begin(type, args)
  const failure = await handle.result().catch((error: unknown) => error)
  if (!(failure instanceof WorkflowFailedError)) return `it has not failed: ${JSON.stringify(failure)}`
  const { cause } = failure
  return cause instanceof ActivityFailure ? cause.cause?.message : cause?.message
}

/** Starts the workflow with a timeout, so that a run that hangs fails before the test times out. */
function begin(type: string, args: unknown[]) {
  started += 1
  const workflowId = `${worker.queuePrefix}-by-hand-${started}`
  return worker.client.workflow.start(type, { workflowId, taskQueue: worker.taskQueue, args, ...limit })
}

const limit = { workflowExecutionTimeout: '2 minutes' } as const
