// Frequent queries use an index, even with many payouts and with generic plans.
import { beforeAll, expect, test } from '@jest/globals'
import { latestActivity } from '../../db/controls/activity'
import { findLedgerDrifts } from '../../db/controls/proof/ledger'
import { type Command, type Tx, txThrough } from '../../db/database'
import { listPayouts, type PayoutFilters, sumPayouts } from '../../db/payouts/payouts'
import { type PayoutSearch, searchPayouts } from '../../db/payouts/search'
import { findSimilarPayouts } from '../../db/payouts/similar'
import { giveCodeBack } from '../../db/sign-in/codes'
import { useApi } from '../support/api/client'
import { aPartner, aPayoutRow } from '../support/api/fixtures'
import { withoutTriggers } from '../support/db/without-triggers'

const many = 5_000
const api = useApi()
let partnerId: string

beforeAll(async () => {
  const { id, ...first } = await aPayoutRow(api, await aPartner(api), { closedAt: new Date() })
  partnerId = first.partnerId
  const others = {
    id: 'gen_random_uuid()',
    idempotency_key: `'order-' || lpad(n::text, 8, '0')`,
    bank_key: 'gen_random_uuid()::text',
    account_last4: `lpad((n % 10000)::text, 4, '0')`,
    created_at: `p.created_at - n * interval '10 s'`,
    reference: `'invoice ' || n`,
  }
  const pairs = Object.entries(others).map(([column, value]) => `'${column}', ${value}`)
  // Inserts without triggers, which would write several rows for each payout. This test checks only plans.
  await withoutTriggers(
    api.db,
    `INSERT INTO payouts SELECT other.* FROM payouts p, generate_series(1, ${many}) n,
      jsonb_populate_record(p, jsonb_build_object(${pairs.join()})) other
    WHERE p.id = '${id}'`,
  )
  await api.db.dataSource.query(`
    INSERT INTO codes (id, purpose, subject, digest, digest_key_id, created_at, expires_at, used_for)
    SELECT gen_random_uuid(), 'confirm', 'nobody', '', 'k1', now(), now(), gen_random_uuid()
    FROM generate_series(1, ${many})`)
  await api.db.dataSource.query('ANALYZE payouts')
  await api.db.dataSource.query('ANALYZE codes')
})

test('the search for payouts similar to a new one uses an index', async () => {
  const scope = { partnerId: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55', environment: 'sandbox' } as const
  const wanted = { accountLast4: '5678', accountHashes: [], amountPence: 12_000n, since: new Date(0) }

  const plan = await planOf((db) => findSimilarPayouts(db, scope, wanted))

  expect(plan).toContain('payouts_last4_index')
  expect(plan).toContain('payouts_unclosed_index')
  expect(plan).not.toContain('Seq Scan')
})

test('a search for part of a reference or name uses an index', async () => {
  const page = { take: 51, startingAfter: null }

  const plan = await planOf(
    (db) => listPayouts(db, { partnerId, environment: 'sandbox' }, { search: 'invoice 777' }, page),
    'for its values',
  )

  expect(plan).toContain('payouts_search_index')
  expect(plan).not.toContain('Seq Scan')
})

test.each(['invoice 4777', 'VOICE 49', 'oice 4', 'invoice 49 ', 'Lovelace 4777', 'ada  4777', 'invoice 4%', '-4777'])(
  'a search for "%s" finds the same payouts as a scan of all payouts',
  async (search) => {
    const page = { take: 5_000, startingAfter: null }
    const expected: { id: string }[] = await api.db.dataSource.query(
      `SELECT id FROM payouts WHERE partner_id = $1
        AND position(lower($2) IN lower(coalesce(reference, '') || chr(10) || coalesce(recipient_name, ''))) > 0
        ORDER BY created_at DESC, id DESC`,
      [partnerId, search],
    )

    const found = await listPayouts(api.db, { partnerId, environment: 'sandbox' }, { search }, page)

    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  },
)

test('a page of payouts starts at its cursor, without reading the rows before it', async () => {
  const startingAfter = '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55'

  const plan = await planOf((db) =>
    listPayouts(db, { partnerId, environment: 'sandbox' }, {}, { take: 51, startingAfter }),
  )

  expect(plan).toMatch(/payouts_list_index[^]*Index Cond: .*ROW\(created_at, id\) </)
})

test.each([
  ['oldest', 'payouts_list_index', String.raw`ROW\(created_at, id\) >`],
  ['largest', 'payouts_amount_index', String.raw`ROW\(amount_pence, created_at, id\) <`],
  ['smallest', 'payouts_amount_index', String.raw`ROW\(amount_pence, created_at, id\) >`],
] as const)('a page in %s-first order also starts at its cursor, without a sort', async (order, index, start) => {
  const startingAfter = '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55'

  const plan = await planOf((db) =>
    listPayouts(db, { partnerId, environment: 'sandbox' }, {}, { take: 51, startingAfter, order }),
  )

  expect(plan).toMatch(new RegExp(`${index}[^]*Index Cond: .*${start}`))
  expect(plan).not.toContain('Sort')
})

test.each<[string, PayoutFilters]>([
  ['several statuses', { statuses: ['failed', 'returned'] }],
  ['several statuses, one of them common', { statuses: ['completed', 'returned'] }],
  ['amount', { minPence: 12_000n, maxPence: 12_000n }],
  ['completion', { completedAfter: '2026-10-01T00:00:00Z', completedBefore: '2026-11-01T00:00:00Z' }],
  ['creator', { createdBy: 'key:kp_sandbox_00000000' }],
])('a page filtered by %s and its totals read one partner’s payouts through an index', async (_, filters) => {
  const scope = { partnerId, environment: 'sandbox' } as const
  // This partner has none of the payouts. For the partner with all of them, a table scan would be the right plan for
  // totals.
  const other = { ...scope, partnerId: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55' }
  const startingAfter = '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55'

  const page = await planOf((db) => listPayouts(db, scope, filters, { take: 51, startingAfter }), 'for its values')
  const totals = await planOf((db) => sumPayouts(db, other, filters), 'for its values')

  expect(page).toMatch(/payouts_(list|status|completed)_index/)
  expect(totals).toMatch(/Index.* payouts_\w+_index/)
  for (const plan of [page, totals]) expect(plan).not.toContain('Seq Scan on payouts')
})

test.each<[string, PayoutSearch]>([
  ['partner', {}],
  ['amount', { amountPence: 12_000n }],
  ['part of a reference', { reference: 'voice 47' }],
  ['day', { since: new Date() }],
  ['status', { status: 'completed' }],
])("an operator's search by %s reads one partner's payouts through indexes", async (_, search) => {
  const plan = await planOf((db) => searchPayouts(db, { partnerId, ...search }, 51), 'for its values')

  expect(plan).toMatch(/payouts_(list|status)_index/)
  expect(plan).toContain('payouts_hidden_index')
  expect(plan).not.toContain('Seq Scan on payouts')
})

test.each<[string, PayoutSearch, string]>([
  ['ID', { id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55' }, 'payouts_pkey'],
  ['transfer', { transferRef: 'tr_1' }, 'payouts_transfer_unique'],
  ['rare amount', { partnerId: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55', amountPence: 1n }, 'payouts_hidden_index'],
  ['key', { partnerId: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55', idempotencyKey: 'order-1' }, 'payouts_key_unique'],
])("an operator's search by %s uses an index", async (_, search, index) => {
  const plan = await planOf((db) => searchPayouts(db, search, 2), 'for its values')

  expect(plan).toContain(index)
  expect(plan).not.toContain('Seq Scan on payouts')
})

test('finding the code that confirmed a payout uses an index', async () => {
  const plan = await planOf((db) => giveCodeBack(db, { usedFor: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55' }))

  expect(plan).toContain('codes_used_for_index')
  expect(plan).not.toContain('Seq Scan')
})

test.each([
  ['changes', 'both', 'activity_from_0_changes_index'],
  ['security', 'both', 'activity_from_0_security_index'],
  ['everything', 'sandbox', 'activity_from_0_sandbox_index'],
  ['changes', 'sandbox', 'activity_from_0_sandbox_changes_index'],
] as const)('listing activity (%s, environment %s) uses an index', async (kind, environment, index) => {
  const { id } = await aPartner(api)
  await api.db.dataSource.query(`
    INSERT INTO activity (partner_id, at, environment, action, changes, made_by)
    SELECT '${id}', now(), CASE n % 100 WHEN 0 THEN 'sandbox' ELSE 'live' END, CASE n % 500 WHEN 0 THEN 'key.create' ELSE 'call' END,
      n % 50 = 0, 'x' FROM generate_series(1, ${many}) n`)
  await api.db.dataSource.query('ANALYZE activity_from_0')

  const plan = await planOf((db) => latestActivity(db, id, 200, { filter: { kind, environment } }))

  // Merges the partitions, so that it reads only the rows that a page shows.
  expect(plan).toMatch(/^Limit.*\n *-> {2}Merge Append/)
  expect(plan).toContain(`${index} on activity_from_0`)
})

const ofWallet = ['payout_ledger', 'payout_row', 'payout_charge']

test.each(ofWallet)('the %s check of a wallet’s payouts uses an index', async (kind) => {
  await withoutTriggers(api.db, 'UPDATE payouts SET wallet_id = gen_random_uuid()')
  await api.db.dataSource.query('ANALYZE payouts')
  const asked = await statementsOf((tx) => findLedgerDrifts(tx, '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a55'))

  const plan = await explain(asked.find(({ text }) => text.includes(`'${kind}' AS kind`)))

  expect(plan).toContain('payouts_wallet_index')
  expect(plan).not.toMatch(/(Seq Scan on|payouts_pkey on) payouts/)
})

/** A prepared statement has one plan for any values, and an unprepared one is planned for its values. */
type Plan = 'for any values' | 'for its values'

/** Returns the plan of the last statement that `ask` sends. */
async function planOf(ask: (tx: Tx) => Promise<unknown>, plan?: Plan): Promise<string> {
  return explain((await statementsOf(ask)).at(-1), plan)
}

/** Returns the statements that `ask` sends. None is executed, and each gets an empty result. */
async function statementsOf(ask: (tx: Tx) => Promise<unknown>): Promise<Command[]> {
  const asked: Command[] = []
  const nothing = { command: 'SELECT', rowCount: 0, oid: 0, fields: [], rows: [] }
  await ask(txThrough(api.db.dataSource, async (command) => (asked.push(command), nothing)))
  return asked
}

async function explain(statement: Command | undefined, plan: Plan = 'for any values'): Promise<string> {
  if (statement === undefined) throw new Error('the statement was not run')
  const options = plan === 'for its values' ? '' : '(GENERIC_PLAN)'
  const values = plan === 'for its values' ? [...statement.values] : []
  const lines: { 'QUERY PLAN': string }[] = await api.db.dataSource.query(
    `EXPLAIN ${options} ${statement.text}`,
    values,
  )
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}
