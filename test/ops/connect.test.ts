// ops uses DATABASE_URL, or the system running in DATA_DIR. On a connection error, it prints one sentence and exits
// with code 1.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { takeLock } from '../../local/lock'
import { asReader } from '../support/db/app-role'
import { oneSentence, openTerminal, runWith, useTerminal } from '../support/terminal'

const terminal = useTerminal()
let dataDir = ''

beforeAll(async () => {
  await terminal.json('partner', 'create', '--name', 'Acme', '--slug', 'acme', '--email', 'ada@acme.test')
})

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'payouts-ops-'))
})

afterEach(() => rmSync(dataDir, { recursive: true }))

describe('the system that ops uses', () => {
  test('is the one running in DATA_DIR', async () => {
    writeFileSync(join(dataDir, 'env.json'), JSON.stringify(terminal.env))
    const lock = takeLock(join(dataDir, 'lock.json'), { api: 'http://localhost:3000' })

    const listed = await runWith({ DATA_DIR: dataDir }, ['partner', 'list', '--json'])
    const created = await runWith({ DATA_DIR: dataDir }, [
      'key',
      'create',
      '--partner',
      'acme',
      '--environment',
      'sandbox',
    ])

    expect(JSON.parse(listed.out)).toMatchObject({ data: [{ slug: 'acme' }] })
    expect(created.out).toContain('kp_sandbox_')
    if (lock.outcome === 'taken') lock.release()
  })

  test('must still be running', async () => {
    writeFileSync(join(dataDir, 'env.json'), JSON.stringify(terminal.env))

    expect(await runWith({ DATA_DIR: dataDir }, ['partner', 'list'])).toEqual({
      code: 1,
      out: '',
      err: `Nothing is running in ${dataDir}: run \`npm start\`, or set DATABASE_URL and SECRET_KEYS.\n`,
    })
  })

  test('is the one in DATABASE_URL if that is set, even if nothing is running in DATA_DIR', async () => {
    const { code, out } = await runWith({ ...terminal.env, DATA_DIR: dataDir }, ['partner', 'list'])

    expect({ code, out: out.includes('acme') }).toEqual({ code: 0, out: true })
  })

  test('can be used without SECRET_KEYS unless the command creates a secret', async () => {
    const { DATABASE_URL } = terminal.env
    const shown = await runWith({ DATABASE_URL }, ['partner', 'show', '--partner', 'acme'])
    const created = await runWith({ DATABASE_URL }, ['key', 'create', '--partner', 'acme', '--environment', 'sandbox'])

    expect(shown.code).toBe(0)
    expect(created).toEqual({ code: 1, out: '', err: 'Also set SECRET_KEYS, to the value that the API uses.\n' })
  })
})

test('commands that issue no invoice work despite an invalid seller setting', async () => {
  const wrong = { ...terminal.env, SELLER_NAME: 'Example Ltd', SELLER_EMAIL: 'not an address', SELLER_VAT_RATE: 'all' }

  const listed = await runWith(wrong, ['partner', 'list', '--json'])
  const status = await runWith(wrong, ['status', '--json'])
  const found = await runWith(wrong, ['payout', 'find', '--partner', 'acme', '--json'])

  expect([listed, status, found].map(({ err }) => err)).toEqual(['', '', ''])
  expect(JSON.parse(listed.out)).toMatchObject({ data: [{ slug: 'acme' }] })
  expect(JSON.parse(status.out)).toMatchObject({ object: 'status' })
  expect(JSON.parse(found.out)).toMatchObject({ data: [] })
})

describe('the operator of a command', () => {
  const change = ['key', 'create', '--partner', 'acme', '--environment', 'sandbox']
  const production = {
    NODE_ENV: 'production',
    SECRET_KEYS: `k1:${createHash('sha256').update('a test').digest('hex')}`,
  }
  const lastBy = async () => {
    const [row] = await terminal.db.dataSource.query('SELECT made_by FROM activity ORDER BY at DESC, id DESC LIMIT 1')
    return row.made_by
  }

  test('is OPS_USER, so that the activity list distinguishes operators who share a container', async () => {
    const { code } = await runWith({ ...terminal.env, OPS_USER: 'ada@payouts.test' }, change)

    expect([code, await lastBy()]).toEqual([0, 'ops:ada@payouts.test'])
  })

  test('is not the user who started the system', async () => {
    writeFileSync(join(dataDir, 'env.json'), JSON.stringify({ ...terminal.env, OPS_USER: 'starter' }))
    const lock = takeLock(join(dataDir, 'lock.json'), { api: 'http://localhost:3000' })

    await runWith({ DATA_DIR: dataDir, OPS_USER: 'grace' }, change)
    const named = await lastBy()
    await runWith({ DATA_DIR: dataDir }, change)

    expect([named, await lastBy()]).toEqual(['ops:grace', `ops:${userInfo().username}`])
    if (lock.outcome === 'taken') lock.release()
  })

  test('must be set in production, using only characters that the activity list can store', async () => {
    const env = { ...terminal.env, ...production }
    const unnamed = await runWith(env, ['partner', 'list'])
    const invalid = await runWith({ ...env, OPS_USER: 'ada lovelace' }, ['partner', 'list'])
    const ada = await runWith({ ...env, OPS_USER: 'ada' }, ['partner', 'list'])

    expect([unnamed.code, invalid.code, ada.code]).toEqual([1, 1, 0])
    expect(unnamed.err).toBe('OPS_USER is required in production: your name, for the activity list.\n')
    expect(invalid.err).toBe('OPS_USER must be 1 to 60 letters, digits and . _ @ + -, without spaces.\n')
  })
})

test('with a read-only database role, commands that only read succeed, and rail pause is refused', async () => {
  const env = { ...terminal.env, DATABASE_URL: await asReader(terminal.env.DATABASE_URL) }
  const ofAcme = ['partner show', 'wallet show', 'key list', 'price list', 'payout find', 'invoices list']
  const ofAll = ['partner list', 'payout attention', 'case list', 'deposit list', 'bank-event list', 'worker list']
  const ofBank = ['rail status', 'rate show', 'bank check', 'proof list', 'audit verify', 'price default show']
  const looks = [...ofAcme.map((look) => `${look} --partner acme`), ...ofAll, ...ofBank]

  const looked = await Promise.all(looks.map((look) => runWith(env, look.split(' '))))
  // status exits with 1, because no worker is running.
  const status = await runWith(env, ['status'])
  const paused = await runWith(env, ['rail', 'pause', '--environment', 'live'])

  expect(looked.map(({ code, err }) => [code, err])).toEqual(looks.map(() => [0, '']))
  expect([status.code, status.err]).toEqual([1, ''])
  const sentence = 'The database role of DATABASE_URL may only read, so it cannot do this.\n'
  expect(paused).toEqual({ code: 1, out: '', err: sentence })
  expect((await terminal.ops('rail', 'status')).out).not.toContain('paused')
})

describe('the error message of a command', () => {
  const list = ['partner', 'list']

  test('is one sentence when the database is down', async () => {
    const { code, out, err } = await runWith({ DATABASE_URL: 'postgres://me:secret-word@127.0.0.1:1/x' }, list)

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(oneSentence)
    expect(err).toContain('The database does not answer')
    expect(err).not.toContain('secret-word')
  })

  test('is an API error body with --json', async () => {
    const { code, err } = await runWith({ DATABASE_URL: 'postgres://me@127.0.0.1:1/x' }, [...list, '--json'])

    expect(code).toBe(1)
    expect(JSON.parse(err)).toEqual({
      error: { code: 'service_unavailable', message: expect.stringContaining('The database does not answer') },
    })
  })

  test('is one sentence for a missing database', async () => {
    const url = new URL(terminal.env.DATABASE_URL)
    url.pathname = '/nowhere'

    expect(await runWith({ DATABASE_URL: url.href }, list)).toEqual({
      code: 1,
      out: '',
      err: 'The database server has no database with the name in DATABASE_URL.\n',
    })
  })

  test('is one sentence for a database that was never migrated', async () => {
    const empty = await openTerminal()
    await empty.db.dataSource.query('DROP SCHEMA public CASCADE')

    const answer = await empty.ops(...list)
    await empty.close()

    expect(answer).toEqual({ code: 1, out: '', err: 'The database is not up to date: run `npm run migrate`.\n' })
  })

  test.each([
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a URL that starts with postgres:// or postgresql://.'],
    [
      { DATABASE_URL: 'postgres://me@127.0.0.1:1/x', SECRET_KEYS: 'short' },
      'SECRET_KEYS must be a comma-separated list of <id>:<64 hex digits>, each id once, the current key first.',
    ],
  ])('is one sentence for a configuration error', async (env, sentence) => {
    expect(await runWith(env, list)).toEqual({ code: 1, out: '', err: `${sentence}\n` })
  })
})
