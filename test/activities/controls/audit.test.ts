// The scheduled audit jobs: sealing logs the head of the chain, and the daily check finds, stores and reports
// faults.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { bind } from '../../../activities/bind'
import { sealAudit, verifyAudit as verifyAndTell } from '../../../activities/controls/audit'
import { recordActivity } from '../../../db/controls/activity'
import { verifyAudit } from '../../../db/controls/audit/verify'
import type { Db } from '../../../db/database'
import { takeMails } from '../../../db/partners/mails'
import { testKeyring } from '../../support/api/client'
import { aPartner } from '../../support/db/a-partner'
import { createDatabase, openDb, type TestDatabase } from '../../support/db/database'
import { withoutTriggers } from '../../support/db/without-triggers'
import { keptLog } from '../../support/kept-logs'
import { until } from '../../support/until'

const monday = new Date('2026-11-16T05:15:00.000Z')
let today: Date
let lines: Record<string, unknown>[]
let database: TestDatabase
let db: Db
let steps: ReturnType<typeof auditSteps>

beforeEach(async () => {
  ;[today, lines] = [monday, []]
  database = await createDatabase()
  db = await openDb(database.url, 3)
  const log = keptLog({ level: 'info', write: (line) => void lines.push(JSON.parse(line)) })
  const clock = { now: () => today }
  steps = auditSteps({ db, clock, log, keyring: testKeyring, opsEmail: 'ops@payouts.test' })
  await someChanges(3)
  await sealAll()
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

test('sealing logs the length and the head of the chain only if it has sealed rows', async () => {
  const { head } = await verifyAudit(db)
  await steps.sealAudit({ limit: 100 })

  const grown = lines.filter(({ msg }) => msg === 'the audit chain has grown')
  expect(grown.at(-1)).toMatchObject({ links: '3', audit_head: head })
  expect(grown.map(({ links }) => Number(links))).toEqual([...new Set(grown.map(({ links }) => Number(links)))])
})

test('a valid chain is logged with its head, and no email is sent', async () => {
  const { head } = await verifyAudit(db)

  expect(await steps.verifyAudit()).toEqual({ links: '3', head, fault: null })
  expect(lines.at(-1)).toMatchObject({ level: 'info', links: '3', audit_head: head, msg: 'the audit chain is valid' })
  expect(await mails()).toEqual([])
})

test('a fault is logged as an error every day, and emailed once until it changes', async () => {
  await steps.verifyAudit()
  await withoutTriggers(db, `UPDATE activity SET made_by = 'somebody@else.test' WHERE id = 2`)
  const verdicts = [await verifyTomorrow(), await verifyTomorrow()]
  const sentMails = await mails()
  await withoutTriggers(db, 'DELETE FROM activity WHERE id = 1')
  await verifyTomorrow()

  expect(verdicts.map(({ links, fault }) => [links, fault])).toEqual([
    ['1', 'row_changed'],
    ['1', 'row_changed'],
  ])
  const errors = lines.filter(({ level }) => level === 'error')
  expect(errors.map(({ fault, table, row_id }) => [fault, table, row_id])).toEqual([
    ['row_changed', 'activity', '2'],
    ['row_changed', 'activity', '2'],
    ['row_missing', 'activity', '1'],
  ])
  expect(sentMails).toHaveLength(1)
  expect(sentMails[0]?.to.address).toBe('ops@payouts.test')
  expect(sentMails[0]?.text).toContain('row_changed')
  expect(sentMails[0]?.text).toContain('activity 2')
  expect(JSON.stringify([sentMails, lines])).not.toContain('somebody@else')
  expect(await mails()).toHaveLength(1)
  expect(await faultsKept()).toEqual([null, 'row_changed', 'row_changed', 'row_missing'])
})

test('the check detects a chain rewritten from its first link by comparing it with the previous day’s head', async () => {
  await steps.verifyAudit()
  await withoutTriggers(db, 'DELETE FROM audit_chain')
  await withoutTriggers(db, 'DELETE FROM audit_progress')
  await withoutTriggers(db, `UPDATE activity SET made_by = 'somebody@else.test' WHERE id = 2`)
  await sealAll()
  const rewritten = await verifyTomorrow()
  await someChanges(1)
  await sealAll()
  const dayAfter = await verifyTomorrow()

  expect([rewritten.fault, dayAfter.fault]).toEqual(['head_missing', 'head_missing'])
  expect(await mails()).toHaveLength(1)
})

test('a fault is logged even if no email address is configured', async () => {
  const log = keptLog({ level: 'info', write: (line) => void lines.push(JSON.parse(line)) })
  const quiet = auditSteps({ db, clock: { now: () => today }, log, keyring: testKeyring, opsEmail: null })
  await withoutTriggers(db, 'DELETE FROM activity WHERE id = 1')

  expect(await quiet.verifyAudit()).toMatchObject({ fault: 'row_missing' })
  expect(lines.at(-1)).toMatchObject({ level: 'error', msg: 'the audit chain is broken' })
  expect(await mails()).toEqual([])
})

async function verifyTomorrow() {
  today = new Date(today.getTime() + 24 * 60 * 60 * 1000)
  return steps.verifyAudit()
}

/** Retries, because a transaction in another test on the same server can briefly block sealing. */
async function sealAll(): Promise<void> {
  await until('all rows are sealed', async () => {
    await steps.sealAudit({ limit: 100 })
    return (await verifyAudit(db)).unsealed.activity === 0
  })
}

/** The emails queued since the last call. */
async function mails() {
  const leaseUntil = new Date(today.getTime() + 10 * 24 * 60 * 60 * 1000)
  return (await takeMails(db, testKeyring, { at: today, leaseUntil, limit: 10 })).flatMap(({ mail }) => mail ?? [])
}

async function faultsKept(): Promise<unknown[]> {
  const rows: { fault: unknown }[] = await db.dataSource.query(
    'SELECT fault FROM audit_verifications ORDER BY verified_at',
  )
  return rows.map(({ fault }) => fault)
}

async function someChanges(count: number): Promise<void> {
  const { id: partnerId } = await aPartner(db)
  for (let made = 0; made < count; made += 1) {
    const rest = { status: 201, madeBy: 'key:kp_sandbox_12345678', detail: null, requestId: null } as const
    const entry = { partnerId, at: monday, environment: 'sandbox', action: 'key.create', changes: 'something' } as const
    await recordActivity(db, [{ ...entry, ...rest }])
  }
}

function auditSteps(deps: Parameters<typeof verifyAndTell>[0]) {
  return bind(deps, { sealAudit, verifyAudit: verifyAndTell })
}
