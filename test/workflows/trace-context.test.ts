// A workflow passes its trace on to everything that it starts, and adds nothing if it has no trace.
import { expect, test } from '@jest/globals'
import type { Headers } from '@temporalio/workflow'
import { interceptors } from '../../workflows/trace-context'
import type { Json } from '../support/bank/client'

const trace = { data: Buffer.from('"00-…"') }
const calls = ['scheduleActivity', 'scheduleLocalActivity', 'startChildWorkflowExecution', 'continueAsNew'] as const

test.each(calls)('%s passes on the trace and its own headers, and no other incoming header', (call) => {
  expect(handedOn(call, { traceparent: trace, other: trace }, { own: trace })).toEqual({
    own: trace,
    traceparent: trace,
  })
})

test.each(calls)('%s passes nothing on without a trace', (call) => {
  expect(handedOn(call, {}, {})).toEqual({})
})

test('one run does not see the trace of another', () => {
  handedOn('scheduleActivity', { traceparent: trace }, {})

  expect(handedOn('scheduleActivity', {}, {})).toEqual({})
})

/** Calls new interceptors, because the SDK also creates new ones for every run. */
function handedOn(call: (typeof calls)[number], started: Headers, given: Headers): Headers | undefined {
  const { inbound, outbound }: Json = interceptors()
  let handed: Headers | undefined
  inbound[0].execute({ args: [], headers: started }, () => undefined)
  outbound[0][call]({ headers: given }, (input: { headers: Headers }) => {
    handed = input.headers
  })
  return handed
}
