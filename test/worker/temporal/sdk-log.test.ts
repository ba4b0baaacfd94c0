// The Temporal SDK's log lines in our log.
import { expect, test } from '@jest/globals'
import { sdkLogger } from '../../../worker/temporal/connect'
import { keptLog } from '../../support/kept-logs'

const retry = { sdkComponent: 'core', target: 'temporalio_client::retry' }

test("the SDK's info lines are logged as debug, and its warnings and errors keep their level", () => {
  const { logger, lines } = aLogger()

  logger.info('Worker state changed', { state: 'RUNNING' })
  logger.warn('slow', { sdkComponent: 'core' })
  logger.log('ERROR', 'broken', { error: Object.assign(new Error('no'), { parameters: ['CANARY'] }) })

  expect(lines.join('')).not.toContain('CANARY')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', msg: 'slow', sdkComponent: 'core' },
    { level: 'error', msg: 'broken', error: { type: 'Error', message: 'no' } },
  ])
})

test('an unavailable server is logged once a minute, not once for every poll', () => {
  const { logger, lines, time } = aLogger()

  for (let second = 0; second <= 120; second++) {
    time.ms = second * 1000
    logger.warn('gRPC call poll_activity_task_queue retried', retry)
    logger.warn('gRPC call poll_workflow_task_queue retried', retry)
  }

  expect(lines).toHaveLength(3)
})

function aLogger() {
  const lines: string[] = []
  const time = { ms: 0 }
  const log = keptLog({ level: 'info', write: (line) => void lines.push(line) })
  return { logger: sdkLogger(log, { now: () => new Date(time.ms) }), lines, time }
}
