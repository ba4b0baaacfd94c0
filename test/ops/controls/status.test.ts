// status with a real database and Temporal: one screen, and exit code 1 only if something needs an operator.
import { beforeEach, describe, expect, test } from '@jest/globals'
import { pauseRail, resumeRail } from '../../../db/bank/rail-pauses'
import type { OpenWork } from '../../../db/controls/metrics'
import type { OverdueWork } from '../../../db/controls/upkeep-metrics'
import { insertWorker } from '../../../db/controls/workers'
import { openKeyring } from '../../../db/keyring'
import { enqueueMail } from '../../../db/partners/mails'
import { addNotice } from '../../../db/partners/notices'
import { setAttention } from '../../../db/payouts/steps'
import { answers, formatDuration, needsOf, type Situation } from '../../../ops/controls/needs'
import { systemClock } from '../../../runtime/clock'
import { json, useScriptedBank } from '../../support/bank/scripted'
import { testSystem } from '../../support/jest/system'
import { aClaim } from '../../support/stages/payout'
import { runWith, useTerminal } from '../../support/terminal'

interface Status {
  readonly needs_operator: readonly {
    readonly environment: string | null
    readonly code: string
    readonly text: string
  }[]
  readonly live: Readonly<Record<string, unknown>>
  readonly sandbox: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

const terminal = useTerminal()
const scripted = useScriptedBank()
const queues = ['payouts-sandbox', 'payouts-live', 'housekeeping']

beforeEach(async () => {
  await terminal.db.dataSource.query('DELETE FROM workers')
  await aWorker('k7m2qd', queues)
})

const status = (change: Record<string, string> = {}, ...argv: string[]) =>
  runWith({ ...terminal.env, TEMPORAL_ADDRESS: testSystem().temporalAddress, ...change }, ['status', ...argv])

async function read(change: Record<string, string> = {}): Promise<Status & { readonly code: number }> {
  const { code, out } = await status(change, '--json')
  return { code, ...JSON.parse(out) }
}

test('status shows every line and exits with 0 when nothing needs an operator', async () => {
  const { code, out } = await status()

  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
    expect.stringMatching(/^20\S+Z \| LIVE \| SANDBOX$/),
    'rail | open | open',
    'bank | not configured | not configured',
    'oldest pending | - | -',
    'unsent | - | -',
    'unconfirmed | - | -',
    'attention | - | -',
    'drifts | - | -',
    'held deposits | - | -',
    'bank events | - | -',
    '',
    'workers | 1 working',
    'Temporal | answers',
    'emails waiting | -',
    'unreadable notices | -',
    '',
    'Nothing needs an operator.',
    '',
  ])
})

test('undeliverable notices need an operator, and status shows the command that sets a recipient', async () => {
  const argv = ['partner', 'create', '--name', 'Quiet Ltd', '--slug', 'quiet', '--email', 'ada@quiet.test']
  const { id: partnerId } = await terminal.json<{ id: string }>(...argv)
  const at = new Date(systemClock.now().getTime() - 3 * 3_600_000)
  await addNotice(terminal.db, { partnerId, environment: 'live', kind: 'low_balance', about: 'low', at })
  const readable = await read()
  await terminal.db.dataSource.query('UPDATE partners SET contact_email = NULL WHERE id = $1', [partnerId])

  const { code, notices_unreadable, needs_operator } = await read()
  await terminal.db.dataSource.query('DELETE FROM notices')

  expect([readable.code, readable['notices_unreadable']]).toEqual([0, 0])
  expect([code, notices_unreadable]).toEqual([1, 1])
  expect(needs_operator).toEqual([
    {
      environment: 'live',
      code: 'notices_unreadable',
      text: '1 live notice has waited for 3 h 0 min because no one can receive email for quiet: set an address with `partner set --partner quiet --contact-email <email>`',
    },
  ])
})

test('waiting payouts, a paused rail, attention and a waiting email are shown with totals and the next step for each', async () => {
  const argv = ['partner', 'create', '--name', 'Acme Ltd', '--slug', 'acme', '--email', 'ada@acme.test']
  const { id: partnerId } = await terminal.json<{ id: string }>(...argv)
  await aClaim(terminal.db, { partnerId, amountPence: 3_300n })
  const called = await aClaim(terminal.db, { partnerId, amountPence: 5_000n })
  const late = `created_at = now() - interval '21 minutes', submit_started_at = now() - interval '20 minutes'`
  await terminal.db.dataSource.query(`UPDATE payouts SET ${late} WHERE id = $1`, [called.payoutId])
  await setAttention(terminal.db, called.payoutId, 'outcome_unknown')
  const now = systemClock.now()
  await pauseRail(terminal.db, { environment: 'sandbox', by: 'ops:ada', reason: 'The bank asked', at: now })
  await aMail(new Date(now.getTime() - 10 * 60_000))

  const { code, sandbox, live, mails_waiting, needs_operator } = await read()
  const { out } = await status()
  await resumeRail(terminal.db, { environment: 'sandbox', by: 'ops:ada', at: now })
  await terminal.db.dataSource.query('DELETE FROM mails')
  await terminal.db.dataSource.query('UPDATE payouts SET attention = NULL, closed_at = now()')

  expect(code).toBe(1)
  expect(sandbox).toMatchObject({
    rail: 'paused',
    oldest_pending: { id: called.payoutId },
    unsent: 1,
    unsent_gbp: '33.00',
    unconfirmed: 1,
    unconfirmed_gbp: '50.00',
    attention: 1,
  })
  expect(live).toMatchObject({ rail: 'open', oldest_pending: null, unsent: 0, unconfirmed_gbp: '0.00' })
  expect(mails_waiting).toBe(1)
  expect(needs_operator.map(({ environment, text }) => `${environment}: ${text}`)).toEqual([
    'sandbox: rail paused by ops:ada (The bank asked): 1 payout (33.00 GBP) is waiting for `rail resume`',
    `sandbox: payout unconfirmed for 20 min: the bank may have it, so never pay it again; see \`payout explain ${called.payoutId}\``,
    'sandbox: 1 payout needs attention: `payout attention` lists the next steps',
    'null: 1 notice email is waiting, the oldest for 10 min: check SMTP_URL and the log of the API',
  ])
  expect(out).toMatch(/^unsent +- +1, 33\.00 GBP$/m)
  expect(out).toMatch(/^unconfirmed +- +1, 50\.00 GBP$/m)
  expect(out).toMatch(/^oldest pending +- +21 min$/m)
  expect(out).toMatch(/\n\nNeeds an operator:\n {2}sandbox {2}rail paused by ops:ada/)
})

test('a queue without a worker, an unavailable Temporal server and a rejected bank key need an operator', async () => {
  await terminal.db.dataSource.query('DELETE FROM workers')
  await aWorker('k7m2qe', ['payouts-sandbox', 'housekeeping'])
  scripted.answer((_, response) => json(response, 401, { code: 'invalid', location: 'header', name: 'Api-Key' }))
  const bank = { BANK_SANDBOX_URL: scripted.url, BANK_SANDBOX_KEY: 'sk-test-canary' }

  const { code, needs_operator } = await read({ ...bank, TEMPORAL_ADDRESS: '127.0.0.1:1' })
  const { out } = await status(bank)

  expect(code).toBe(1)
  expect(needs_operator.map(({ environment, text }) => `${environment}: ${text}`)).toEqual([
    'null: Temporal does not answer: check that it is running, then repeat the command.',
    'null: no worker polls payouts-live: payouts wait until you start a worker (see `worker list`)',
    'sandbox: bank: key rejected (HTTP 401 invalid): correct BANK_SANDBOX_KEY, and restart workers and APIs one by one',
  ])
  expect(out).toMatch(/^bank +not configured +key rejected \(HTTP 401 invalid\)$/m)
  expect(out).not.toContain('canary')
})

describe('an operator is needed for', () => {
  const at = new Date('2026-11-16T02:41:00.000Z')
  const calm: Situation = {
    at,
    rails: [],
    work: [],
    oldest: [],
    upkeep: { left: [], notBilled: 0 },
    unreadable: [],
    workers: [],
    queues: [],
    banks: [],
    temporal: answers,
  }
  const work = (kind: OpenWork['kind'], sort: OpenWork['sort'], ageSeconds: number): OpenWork[] => [
    { kind, sort, environment: 'live', count: 1, microUsdc: 0n, ageSeconds },
  ]
  const codesOf = (change: Partial<Situation>) => needsOf({ ...calm, ...change }).map(({ code }) => code)
  const codesOfLeft = (left: OverdueWork) => codesOf({ upkeep: { left: [left], notBilled: 0 } })

  test.each<[OpenWork['kind'], OpenWork['sort'], number, string]>([
    ['pending', 'called', 900, 'pending_unconfirmed'],
    ['pending', 'not_called', 900, 'pending_unsent'],
    ['open', 'processing', 7_200, 'processing_old'],
    ['open', 'failed', 86_400, 'money_not_back'],
    ['open', 'returned', 86_400, 'money_not_back'],
    ['not_read', null, 900, 'wallet_not_read'],
  ])('%s (%s) only after %i s', (kind, sort, seconds, code) => {
    const codes = [codesOf({ work: work(kind, sort, seconds) }), codesOf({ work: work(kind, sort, seconds + 1) })]

    expect(codes).toEqual([[], [code]])
  })

  test.each<[OpenWork['kind'], OpenWork['sort'], string]>([
    ['attention', null, 'attention'],
    ['drift', 'bank_balance', 'drift'],
    ['held_deposits', null, 'held_deposits'],
    ['quarantined', null, 'quarantined_events'],
    ['rejected_rate', 'jump', 'rate_rejected'],
    ['requested_names', null, 'requested_names'],
  ])('%s immediately', (kind, sort, code) => {
    const some = work(kind, sort, 0)

    expect(codesOf({ work: some })).toEqual([code])
    expect(codesOf({ work: some.map((each) => ({ ...each, count: 0 })) })).toEqual([])
  })

  test.each<[OverdueWork, string]>([
    [{ work: 'prove', sort: 'live', count: 1, ageSeconds: 3_600 }, 'proof_old'],
    [{ work: 'seal', sort: null, count: 1, ageSeconds: 900 }, 'not_sealed'],
    [{ work: 'mail', sort: 'sign_in', count: 1, ageSeconds: 300 }, 'mail_waits'],
    [{ work: 'mail', sort: 'invoice', count: 1, ageSeconds: 21_600 }, 'mail_waits'],
    [{ work: 'erase', sort: 'recipients', count: 1, ageSeconds: 172_800 }, 'not_erased'],
  ])('%j only after that age', (left, code) => {
    expect([codesOfLeft(left), codesOfLeft({ ...left, ageSeconds: left.ageSeconds + 1 })]).toEqual([[], [code]])
  })

  test('a fault in the audit chain immediately, an overdue audit check after two days, and missing invoices from noon on the 1st', () => {
    const ofVerify = (ageSeconds: number, count: number) =>
      codesOfLeft({ work: 'verify', sort: null, count, ageSeconds })
    const notBilled = (time: string) => codesOf({ at: new Date(time), upkeep: { left: [], notBilled: 1 } })

    expect([ofVerify(1, 0), ofVerify(1, 1), ofVerify(172_801, 0)]).toEqual([
      [],
      ['audit_fault'],
      ['audit_not_verified'],
    ])
    expect([notBilled('2026-12-01T11:59:00Z'), notBilled('2026-12-01T12:00:00Z')]).toEqual([[], ['not_billed']])
  })
})

test.each([
  [45.9, '45 s'],
  [61, '1 min'],
  [3_600, '1 h 0 min'],
  [12_000, '3 h 20 min'],
  [172_800, '2 d'],
])('a duration of %d seconds is shown as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

async function aWorker(id: string, taskQueues: readonly string[]): Promise<void> {
  const process = { id, host: 'worker-1', pid: 42, version: '1.3.0', taskQueues, startedAt: systemClock.now() }
  await insertWorker(terminal.db, process)
}

async function aMail(at: Date): Promise<void> {
  const mail = { to: { name: 'Ada', address: 'ada@acme.test' }, subject: 'x', text: 'x', html: 'x' }
  const keyring = openKeyring([{ id: 'test', bytes: Buffer.from('5e'.repeat(32), 'hex') }])
  const expiresAt = new Date(at.getTime() + 86_400_000)
  await terminal.db.transaction((tx) => enqueueMail(tx, keyring, { kind: 'notice', mail, at, expiresAt }))
}
