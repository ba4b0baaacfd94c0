// Which data the search through all logs reports, and which data it ignores.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newWorkerId } from '../../worker/registration'
import { requireNothingPersonal } from '../support/kept-logs'
import { personalIn, withoutRandom } from '../support/personal'

test.each([
  ['a name', '{"msg":"paid Ada"}'],
  ['a name', '{"first_name":"Lovelace"}'],
  ['an address', '{"detail":"12 St James Square"}'],
  ['an account number', '{"detail":"to 48213977"}'],
  ['an account number', '{"account_number":48213977}'],
  ['a code or a sort code', '{"msg":"the code 482139 was wrong"}'],
  ['a code or a sort code', '{"confirm_code":482139}'],
  ['an email', '{"to":"someone@people.test"}'],
  ['an API key', `{"key":"kp_live_${'0a'.repeat(24)}"}`],
  ["a bank's key", '{"header":"sk-test-tests"}'],
  ['a secret key', `{"keys":"k1:${'01'.repeat(32)}"}`],
  ['a secret key', `{"head":"${'01'.repeat(32)}"}`],
  ['a secret key', `{"audit_head":"${'01'.repeat(32)}","keys":"k1:${'02'.repeat(32)}"}`],
  ['a session', 'Cookie: __Host-session=abc'],
  ['a bearer token', '"Authorization":"Bearer abc"'],
  ['a password', 'connecting to postgresql://payouts:hush@127.0.0.1:5432/payouts'],
])('%s in a log is found', (what, line) => {
  expect(personalIn(line)?.what).toBe(what)
})

test.each([
  '{"level":"info","time":"2026-11-15T09:43:44.123Z","name":"api","request_id":"12345678-1234-4234-8234-123456789012","msg":"request"}',
  '{"route":"/v1/payouts/:id","status":200,"ms":123456.123,"key":"kp_sandbox_12345678","port":123456}',
  '{"err":{"stack":"Error: x\\n    at run (/work/node_modules/@koa/router/dist/index.js:482139:12)"},"queue":"test-12345678"}',
  '{"confirm_code":"[redacted]","email":"[redacted]"}',
  String.raw`details: b"\x1aB\n@type.googleapis.com/temporal.api.errordetails.v1.NotFoundFailure"`,
  `{"links":"12","audit_head":"${'01'.repeat(32)}","msg":"the audit chain has grown"}`,
  `binary_checksum: "@temporalio/worker@1.24.0+${'01'.repeat(32)}"`,
  '{"options":{"namespace":"default","identity":"482139@host","useVersioning":false}}',
  'PostgreSQL at 127.0.0.1:48213 is not available yet',
])('an ordinary line is ignored: %#', (line) => {
  expect(personalIn(line)).toBeNull()
})

test('the ID of a worker is never six digits, because it would look like a code', () => {
  const ids = Array.from({ length: 200 }, newWorkerId)

  expect(ids.filter((id) => !/^[a-z][2-9a-z]{5}$/.test(id))).toEqual([])
  expect(ids.filter((id) => personalIn(`{"worker":"${id}"}`) !== null)).toEqual([])
})

test('a finding in one file fails the run, and the error does not repeat it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-logs-'))
  writeFileSync(
    join(folder, 'api.log'),
    '{"msg":"fine"}\n{"msg":"mail to someone@people.test"}\n{"k":"kp_live_0123456789abcdef"}\n',
  )

  const failure = await requireNothingPersonal(folder).catch((error: unknown) => String(error))

  expect(failure).toContain('an email in api.log:2: {"msg":"mail to █"}')
  expect(failure).not.toMatch(/someone|abcdef/)
  rmSync(folder, { recursive: true })
})

test.each([
  ['019a1b3c-0000-7000-8000-918273000000', ''],
  [`hash ${'918273ab'.repeat(8)}`, 'hash '],
  ['{"eventTime":{"nanos":918273000},"taskId":{"low":1918273}}', '{"eventTime":{},"taskId":{}}'],
  ['2026-11-19T05:58:29.918273789Z', '2026-11-19T05:58:29'],
  [
    'to 91827348213977, code918273, 2026-11-19T05:58:29.918Z',
    'to 91827348213977, code918273, 2026-11-19T05:58:29.918Z',
  ],
])('random text is removed, and a secret beside other text is not: %s', (text, expected) => {
  expect(withoutRandom(text)).toBe(expected)
})
