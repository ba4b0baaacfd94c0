// Without a collector, tracing is off, and nothing uses AsyncLocalStorage.
import { expect, test } from '@jest/globals'
import { systemClock } from '../../../runtime/clock'
import { openTracing } from '../../../runtime/tracing'
import { keptLog } from '../../support/kept-logs'
import { read, sourceFiles } from '../../support/source-imports'

test('without a collector there is no tracer', () => {
  const process = { name: 'payouts-test', version: '1', clock: systemClock, log: keptLog() }

  expect(openTracing(null, process)).toBeNull()
})

// On Node 20, the first use of AsyncLocalStorage slows down every promise in the process (runtime/temporal/client.ts).
test('only the tracer uses AsyncLocalStorage', () => {
  const using = sourceFiles().filter((file) => read(file).includes('AsyncLocalStorage'))

  expect(using).toEqual(['runtime/tracing/tracer.ts'])
})
