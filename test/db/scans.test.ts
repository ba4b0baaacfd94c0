// With many payouts stored, no request, payout step or scheduled task reads a growing table from end to end. PostgreSQL
// reports the plan of every statement that it runs, including those in triggers and functions.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Client as Postgres } from 'pg'
import type { Route } from '../../api/http/route'
import { routes } from '../../api/routes'
import { addHistory } from '../../bench/history'
import { findEvent, listBankEventsOf, listQuarantined, storeBankEvents } from '../../db/bank/events'
import { lastEvent, listSettled, readOpenWork } from '../../db/controls/metrics'
import { readUpkeep } from '../../db/controls/upkeep-metrics'
import { openDatabase } from '../../db/data-source'
import type { Db } from '../../db/database'
import { openPartner } from '../../db/partners/open'
import { type PartnerRow, partner as partnerEntity } from '../../db/partners/partners'
import { listAttention } from '../../db/payouts/attention'
import { findPayoutStory } from '../../db/payouts/story'
import { identifier } from '../../db/sql'
import { environments } from '../../domain/environment'
import { systemClock } from '../../runtime/clock'
import { connectClient } from '../../runtime/temporal/client'
import { aCallOf } from '../api/route-calls'
import { startApi, useApi } from '../support/api/client'
import { aKey, aSession } from '../support/api/fixtures'
import { fromOurPages } from '../support/api/people'
import { accessTo, useSandboxBank } from '../support/bank/client'
import { createDatabase } from '../support/db/database'
import { forwardingTo, opened } from '../support/opened'
import { aClaim, aConnectedPartner, railsTo, stepDeps } from '../support/stages/payout'
import { payoutActivities } from '../support/stages/payout-activities'
import { testActivities, testTemporal } from '../support/temporal/a-worker'

/** Tables that grow with payouts, requests or sign-ins. */
const growing = [
  'activity',
  'audit_chain',
  'bank_events',
  'charges',
  'invoice_charges',
  'ledger_entries',
  'ledger_sets',
  'payout_events',
  'payouts',
  'recipient_months',
  'recipient_totals',
  'sealed_recipients',
]
const many = { partners: 200, payouts: 12_000 }

const bank = useSandboxBank({ controlPort: 0, fsync: 'off' })
const database = opened(createDatabase, (current) => current.drop())
let sizes: ReadonlyMap<string, number>
beforeAll(async () => {
  sizes = await generate(database.url, many)
}, 300_000)
const api = useApi(() => ({ database: database.url, answerTimeoutMs: 100, bank: accessTo(bank) }))
const worker = opened(
  async () => activitiesOn(api.db),
  ({ close }) => close(),
)
const activities = forwardingTo(() => worker.activities)
let partner: PartnerRow
let plans: string[] = []
beforeEach(() => void scans())

beforeAll(async () => {
  listenTo(api.db)
  listenTo(api.deps.costlyReads.of('nobody'))
  partner = await api.db.repo(partnerEntity).findOneByOrFail({ slug: 'history-100' })
})

const calls = routes.map((route): [string, Route] => [`${route.method} ${route.path}`, route])

test.each(calls)('%s', async (_name, route) => {
  // The partner already has an invoice for each month.
  const isOfInvoice = route.path.startsWith('/v1/invoices/')
  const known = /^\/v1\/(payouts|sandbox|members|keys)/.test(route.path)
    ? route.path
    : route.path.replace(':id', await someId('invoices'))
  const { path, body } = await aCallOf({ ...route, path: known }, partner, api)
  const headers = { 'Idempotency-Key': `order-${randomUUID()}` }
  // A sandbox key sees no invoices.
  const by = isOfInvoice ? 'person' : route.access.by
  const caller = by === 'key' ? { key: await keyOf() } : { session: await aSession(api, partner) }

  // PostgreSQL may switch to a plan for any values after five runs of a statement.
  for (let run = 0; run < (route.method === 'GET' ? 7 : 1); run++) {
    const from = by === 'key' ? headers : { ...headers, ...fromOurPages }
    const { status } = await api.send(route.method, path, body, { ...caller, headers: from })
    // A failed request would not send all its statements.
    expect(status).not.toBe(500)
  }

  expect(scans()).toEqual([])
})

let key: string | undefined
async function keyOf(): Promise<string> {
  key ??= await aKey(api, partner, 'sandbox')
  return key
}

test.each([
  'q=Barbara',
  'q=Invoice%20777',
  'status=failed',
  'status=completed,returned',
  'amount_min=100.00',
  'sort=largest',
])('GET /v1/payouts?%s', async (query) => {
  const answer = await api.get(`/v1/payouts?${query}`, { key: await keyOf() })

  expect(answer.status).toBe(200)
  expect(scans()).toEqual([])
})

test('every step of a payout', async () => {
  const { id: partnerId } = await aConnectedPartner(api.db, bank)
  const rails = railsTo(bank)
  const steps = payoutActivities(stepDeps(api.db, rails))
  for (const environment of environments) {
    const payout = await aClaim(api.db, { partnerId, environment })
    await steps.debitPayout(payout)
    await steps.submitToRail(payout)
    await bankCompletes(payout.payoutId)
    await steps.pollSettlement(payout)
    await steps.chargePayout(payout)
    const cancelled = await aClaim(api.db, { partnerId, environment })
    await steps.debitPayout(cancelled)
    await steps.cancelPayout(cancelled)
  }
  rails.close()

  expect(scans()).toEqual([])
})

async function bankCompletes(payoutId: string): Promise<void> {
  const { json } = await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)
  await bank.control('POST', `/transfers/${json.data[0].id}/advance`, { state: 'delivered' })
}

function activitiesOn(db: Db) {
  const client = connectClient(testTemporal())
  const parts = { db, client, queuePrefix: `test-${randomUUID()}`, clock: systemClock, bank: accessTo(bank) }
  const started = testActivities(parts)
  return { ...started, close: () => client.connection.close().finally(() => started.close()) }
}

const page = { after: null, limit: 100 }
const some = { environment: 'live', after: null, limit: 5 } as const
const batch = { limit: 100 }

/** Verifying the audit chain reads every row, because it looks for changes anywhere. */
test.each<[string, () => Promise<unknown>]>([
  ['sweepPayouts', () => activities.sweepPayouts(page)],
  ['sweepSandboxes', () => activities.sweepSandboxes(page)],
  ['sweepStrays', () => activities.sweepStrays(page)],
  ['reportOverdue', () => activities.reportOverdue(page)],
  ['proveSilence', () => activities.proveSilence()],
  ['sealAudit', () => activities.sealAudit(batch)],
  ['eraseRecipients', () => activities.eraseRecipients(batch)],
  ['eraseBankEvents', () => activities.eraseBankEvents(batch)],
  ['pruneActivity', () => activities.pruneActivity(batch)],
  ['partnersToBill', () => activities.partnersToBill({ period: '2026-10', partner: null, ...page })],
  ['issueInvoice', () => activities.issueInvoice({ partnerId: partner.id, period: '2026-10' })],
  ['readWallets', () => activities.readWallets({ environment: 'sandbox', ...page })],
  ['readChangedTransfers', () => activities.readChangedTransfers({ environment: 'sandbox' })],
  ['wakeUnsent', () => activities.wakeUnsent({ environment: 'sandbox', ...page })],
  ['checkLowBalances', () => activities.checkLowBalances(batch)],
  ['sendNotices', () => activities.sendNotices(batch)],
])('the scheduled task %s', async (_name, run) => {
  await run()

  expect(scans()).toEqual([])
})

test('the reconciliation of wallets that were reconciled before', async () => {
  // The first reconciliation of a wallet verifies all its rows, for which a scan may be the right plan.
  const first = await activities.proveWallets(some)
  scans()

  await activities.proveWallets(some)

  expect(first).toMatchObject({ drifts: 0, failed: 0 })
  expect(scans()).toEqual([])
})

describe('a wallet that has all entries', () => {
  const alone = opened(
    async () => {
      const own = await createDatabase()
      await generate(own.url, { partners: 1, payouts: 30_000 })
      const db = await openDatabase({ url: own.url, poolSize: 2, onError: () => undefined })
      return { own, db, ...activitiesOn(db) }
    },
    async ({ own, db, close }) => {
      await close()
      await db.close()
      await own.drop()
    },
  )

  test('is reconciled without a sequential scan of the entries', async () => {
    listenTo(alone.db)
    const first = await alone.activities.proveWallets(some)
    scans()

    await alone.activities.proveWallets(some)

    expect(first).toMatchObject({ drifts: 0, failed: 0 })
    expect(scans().filter((scan) => scan.startsWith('Seq Scan on ledger_entries'))).toEqual([])
  })
})

test.each<[string, (db: Db) => Promise<unknown>]>([
  ['open work', (db) => readOpenWork(db, new Date())],
  ['settled payouts', async (db) => listSettled(db, await lastEvent(db))],
  ['overdue work', (db) => readUpkeep(db, { now: new Date(), retention: { recipientDays: 90, bankEventDays: 400 } })],
  ['attention', (db) => listAttention(db, 50)],
  ['quarantined events', (db) => listQuarantined(db, 50)],
  ['a payout’s story', async (db) => findPayoutStory(db, await someId('payouts'))],
  ['a payout’s bank events', async (db) => listBankEventsOf(db, await someId('payouts'))],
  [
    'an event of the bank',
    async (db) => {
      const about = { environment: 'live', eventId: randomUUID(), payoutId: await someId('payouts') } as const
      await findEvent(db, about)
      const transfer = { category: 'transfer', objectRef: 'history-1', objectState: 'delivered' }
      await storeBankEvents(db, [{ ...about, ...transfer, at: new Date(), handledAt: new Date(), outcome: 'woken' }])
    },
  ],
])('reading %s', async (_name, read) => {
  await read(api.db)

  expect(scans()).toEqual([])
})

test('a scan of a growing table is found, in a statement and in a trigger', async () => {
  await api.db.sql`SELECT count(*) FROM payout_events WHERE made_by = 'nobody'`
  const statement = scans()
  await api.db.dataSource.query(`
    CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM FROM activity WHERE detail = 'nothing';
      RETURN NULL; END $$;
    CREATE TRIGGER planted AFTER UPDATE ON members FOR EACH STATEMENT EXECUTE FUNCTION planted()`)
  await api.db.sql`UPDATE members SET name = name WHERE id = ${randomUUID()}`
  const trigger = scans()
  await api.db.dataSource.query('DROP TRIGGER planted ON members')

  expect(statement).toEqual([expect.stringContaining('Seq Scan on payout_events')])
  expect(trigger).toEqual([expect.stringContaining('Seq Scan on activity')])
})

async function someId(table: 'invoices' | 'payouts'): Promise<string> {
  const [row] = await api.db.sql<{ id: string }>`SELECT id FROM ${identifier(table)}
    WHERE partner_id = ${partner.id} ORDER BY created_at LIMIT 1`
  return row?.id ?? ''
}

/**
 * Fills the database, and then makes PostgreSQL report each statement's plan to the client that sent it. Returns the
 * number of rows in each growing table.
 */
async function generate(url: string, { partners, payouts }: typeof many): Promise<Map<string, number>> {
  const counted = new Map<string, number>()
  const filling = await startApi({ database: url })
  for (let n = 1; n <= partners; n++) {
    const about = { name: 'Acme Ltd', slug: `history-${n}`, email: `ada@history-${n}.test`, createdBy: 'ops:test' }
    await openPartner({ db: filling.db, clock: systemClock }, about)
  }
  await filling.close()
  const sql = new Postgres({ connectionString: url })
  await sql.connect()
  await addHistory(sql, { slugs: 'history-', from: 0, to: payouts })
  const { rows: tables } = await sql.query<{ name: string }>(
    `SELECT relid::regclass::text AS name FROM unnest($1::regclass[]) AS root, pg_partition_tree(root) WHERE isleaf
      UNION SELECT unnest($1::text[])`,
    [growing],
  )
  for (const { name: table } of tables) {
    const { rows } = await sql.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${table}`)
    counted.set(table, rows[0]?.count ?? 0)
  }
  const name = new URL(url).pathname.slice(1)
  for (const [setting, value] of Object.entries(explained)) {
    await sql.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`)
  }
  await sql.end()
  return counted
}

const explained = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
}

const heard = new WeakSet<object>()

function listenTo({ dataSource }: Db): void {
  const { driver } = dataSource
  if (!('master' in driver)) throw new Error('the database has no pool')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeORM does not declare the type of its pool.
  const pool = driver.master as { on(event: 'acquire', listener: (client: Postgres) => void): void }
  pool.on('acquire', (client) => {
    if (heard.has(client)) return
    heard.add(client)
    client.on('notice', ({ message }) => plans.push(message ?? ''))
  })
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Lists the scans of growing tables since the last call: sequential ones, and those that read more than half of the rows. */
function scans(): string[] {
  const found = plans.flatMap((message) => {
    const start = message.indexOf('{')
    if (start < 0) return []
    const { 'Query Text': text, Plan }: { 'Query Text': string; Plan: PlanNode } = JSON.parse(message.slice(start))
    return nodesOf(Plan).flatMap((node) => faultOf(node).map((fault) => `${fault}: ${text.replaceAll(/\s+/g, ' ')}`))
  })
  plans = []
  return [...new Set(found)]
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function faultOf(node: PlanNode): string[] {
  const table = node['Relation Name'] ?? ''
  // Any plan reads an empty partition in no time.
  if (!sizes.get(table) || node['Node Type'] === 'ModifyTable') return []
  if (node['Node Type'] === 'Seq Scan') return [`Seq Scan on ${table}`]
  const each =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const read = each * (node['Actual Loops'] ?? 1)
  const size = sizes.get(table) ?? 0
  return read > size / 2 ? [`${node['Node Type']} reads ${read} of ${size} rows of ${table}`] : []
}
