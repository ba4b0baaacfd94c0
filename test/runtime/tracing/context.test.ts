// A traceparent is parsed as W3C Trace Context specifies, and a malformed one is ignored.
import { expect, test } from '@jest/globals'
import { formatTraceparent, parseTraceparent } from '../../../runtime/tracing/context'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test.each([
  ['sampled', `00-${traceId}-${spanId}-01`, true],
  ['not sampled', `00-${traceId}-${spanId}-00`, false],
  ['with newer flags', `00-${traceId}-${spanId}-03`, true],
  ['without the sampled flag', `00-${traceId}-${spanId}-02`, false],
  ['of a later version', `01-${traceId}-${spanId}-01`, true],
  ['of a later version that has more fields', `cc-${traceId}-${spanId}-01-what-ever`, true],
])('a valid traceparent is read: %s', (_, text, sampled) => {
  expect(parseTraceparent(text)).toEqual({ traceId, spanId, sampled })
})

test.each([
  ['empty', ''],
  ['of the forbidden version', `ff-${traceId}-${spanId}-01`],
  ['of version 00 with more fields', `00-${traceId}-${spanId}-01-what-ever`],
  ['of version 00 with an empty end', `00-${traceId}-${spanId}-01-`],
  ['in capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['without a trace', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['without a span', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['with a trace id that is too short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['with a span id that is too long', `00-${traceId}-${spanId}0-01`],
  ['without flags', `00-${traceId}-${spanId}`],
  ['with flags that are not a number', `00-${traceId}-${spanId}-0x`],
  ['sent twice', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ['with a leading blank', ` 00-${traceId}-${spanId}-01`],
  ['with a trailing line break', `00-${traceId}-${spanId}-01\n`],
  ['of a later version whose end does not begin with a hyphen', `01-${traceId}-${spanId}-01.what`],
])('an invalid traceparent is ignored: %s', (_, text) => {
  expect(parseTraceparent(text)).toBeNull()
})

test.each([true, false])('a written traceparent can be read again (sampled: %s)', (sampled) => {
  const context = { traceId, spanId, sampled }

  expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
})
