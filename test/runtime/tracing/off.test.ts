// Where no collector is configured nothing of it exists, so nobody pays for it.
import { expect, test } from '@jest/globals'
import { systemClock } from '../../../runtime/clock'
import { openTracing } from '../../../runtime/tracing'
import { keptLog } from '../../support/kept-logs'
import { read, sourceFiles } from '../../support/source-imports'

test('without a collector there is no tracer', () => {
  const process = { name: 'payouts-test', version: '1', clock: systemClock, log: keptLog() }

  expect(openTracing(null, process)).toBeNull()
})

// It makes every promise of a process dearer on Node 20 from the first time it is used (runtime/temporal/client.ts).
test('only the tracer stores anything beside the calls', () => {
  const using = sourceFiles().filter((file) => read(file).includes('AsyncLocalStorage'))

  expect(using).toEqual(['runtime/tracing/tracer.ts'])
})
