// The format of a log line, and the data that must never appear in one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createLog, type Log } from '../../runtime/log'

test('an entry is one line of JSON with level, time, name and message', () => {
  const { log, lines } = aLog()

  log.info({ reference: 'a\r\nb\u001b[31m' }, 'hello\nworld')

  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).toMatch(/^[ -~]+$/)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    name: 'test',
    reference: 'a\r\nb\u001b[31m',
    msg: 'hello\nworld',
  })
})

test('lines below the configured level are not written', () => {
  const { log, lines } = aLog()

  log.debug('quiet')

  expect(lines).toEqual([])
})

test.each([
  ['a header', { headers: { authorization: 'Bearer CANARY', cookie: 'session=CANARY', 'Set-Cookie': 'CANARY' } }],
  ['a header in another spelling', { Authorization: 'CANARY', 'X-API-Key': 1, 'API-Key': 'CANARY' }],
  ['a recipient', { payout: { recipient: { first_name: 'CANARY' } } }],
  ['bank details', { details: [{ sortCode: 'CANARY', account_number: 'CANARY', bank: { accountNumber: 'CANARY' } }] }],
  ['personal data', { email: 'CANARY', partner: { billing_email: 'CANARY', contactEmail: 'CANARY' } }],
  ['the configuration', { config: { databaseUrl: 'CANARY', secretKeys: 'CANARY', temporal: { apiKey: 'CANARY' } } }],
  ['raw bytes', { digest: Buffer.from('CANARY') }],
  ['a deeply nested value', { a: { b: { c: { d: { e: { f: { g: 'CANARY' } } } } } } }],
])('%s is redacted', (_what, fields) => {
  const { log, lines } = aLog()

  log.info(fields, 'a line')

  expect(lines[0]).not.toMatch(/CANARY|67,65,78,65,82,89/)
  expect(JSON.parse(lines[0] ?? '').msg).toBe('a line')
})

test('the fields of a child log are also redacted', () => {
  const { log, lines } = aLog()

  log.child({ email: 'CANARY', request_id: 'r1' }).info('a line')

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ email: '[redacted]', request_id: 'r1' })
})

test('an error is logged with type, code, message, stack and cause, and without other fields', () => {
  const { log, lines } = aLog()
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(CANARY)' })
  const error = Object.assign(new TypeError('query failed', { cause }), { parameters: ['CANARY'], query: 'SELECT 1' })

  log.error({ err: error }, 'it failed')
  log.error(error)
  log.child({ err: error }).error('it failed')

  const [line, bare, ofChild] = lines.map((text) => JSON.parse(text))
  expect(lines.join('')).not.toContain('CANARY')
  expect(line.err).toEqual({
    type: 'TypeError',
    message: 'query failed',
    stack: expect.stringContaining('log.test.ts'),
    cause: { type: 'Error', message: 'duplicate key', code: '23505', stack: expect.any(String) },
  })
  expect([bare.err, ofChild.err]).toEqual([line.err, line.err])
})

test('a value that PostgreSQL rejected is not logged', () => {
  const { log, lines } = aLog()
  const error = Object.assign(new Error('invalid input syntax for type uuid: "CANARY"'), { code: '22P02' })

  log.error({ err: error }, 'it failed')

  expect(lines[0]).not.toContain('CANARY')
  expect(JSON.parse(lines[0] ?? '').err).toMatchObject({ code: '22P02', message: 'PostgreSQL rejected a value.' })
})

test('an AggregateError is logged as its first error', () => {
  const { log, lines } = aLog()

  log.error(
    { err: new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('another')]) },
    'it failed',
  )

  expect(JSON.parse(lines[0] ?? '').err.message).toBe('connect ECONNREFUSED ::1:5432')
})

test('a process ends even if its output pipe is closed', async () => {
  const built = JSON.stringify(join(__dirname, '../../dist/runtime/log.js'))
  const program = `const { createLog, bufferedOutput } = require(${built})
    const log = createLog({ level: 'info', name: 'test' }, bufferedOutput())
    process.once('message', () => { log.info('to nobody'); process.exit(3) })
    process.send('ready')`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  await once(child, 'message')

  child.stdout?.destroy()
  child.send('end')
  const giveUp = setTimeout(() => child.kill('SIGKILL'), 120_000)
  const [code] = await once(child, 'exit')
  clearTimeout(giveUp)

  expect(code).toBe(3)
})

function aLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: createLog({ level: 'info', name: 'test' }, { write: (line) => void lines.push(line) }), lines }
}
