// Migration 9 on a database in use: no partner is skipped or billed twice, old invoices remain, and the migration
// waits for running payouts.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { DataSource } from 'typeorm'
import type { Db } from '../../db/database'
import { findInvoiceDocument } from '../../db/invoices/invoices'
import { markInvoicePaid, voidInvoice } from '../../db/invoices/moves'
import { migrate } from '../../db/migrate'
import { migrations } from '../../db/migrations'
import { billed } from '../support/db/billing'
import { openDb } from '../support/db/database'
import { createEmptyDatabase } from '../support/db/empty-database'

let empty: { url: string; drop(): Promise<void> }
let before: DataSource

beforeEach(async () => {
  empty = await createEmptyDatabase()
  const landed = migrations.filter(({ name }) => !/^(Invoices|SettledAtIssue)\d/.test(name))
  before = new DataSource({ type: 'postgres', url: empty.url, migrations: landed, migrationsTableName: 'migrations' })
  await before.initialize()
  await before.runMigrations({ transaction: 'each' })
})
afterEach(async () => {
  await before.destroy()
  await empty.drop()
})

test('a live account counts as open from its approval, or else from its wallet’s last change, and existing charges are uninvoiced', async () => {
  await before.query(`
    INSERT INTO partners (id, slug, name, status, verification_status, created_at, updated_at) VALUES
      (gen_random_uuid(), 'by-activity', 'A', 'active', 'approved', '2026-01-01Z', '2026-09-09Z'),
      (gen_random_uuid(), 'by-wallet', 'B', 'active', 'approved', '2026-01-01Z', '2026-09-09Z'),
      (gen_random_uuid(), 'by-itself', 'C', 'active', 'approved', '2026-01-01Z', '2026-09-09Z'),
      (gen_random_uuid(), 'not-approved', 'D', 'active', 'pending', '2026-01-01Z', '2026-09-09Z'),
      (gen_random_uuid(), 'gone', 'E', 'closed', 'not_started', '2026-01-01Z', '2026-08-08Z')`)
  await before.query(`INSERT INTO activity (partner_id, at, action, changes, made_by)
    SELECT id, '2026-03-03Z', 'partner.approve', true, 'ops' FROM partners WHERE slug = 'by-activity'`)
  await before.query(`
    INSERT INTO wallets (id, partner_id, environment, rail, chain, balance_micro_usdc, wallet_ref, created_at, updated_at)
    SELECT gen_random_uuid(), id, 'live', 'provider_production', 'base', 0, 'w_' || slug, '2026-01-01Z', '2026-04-04Z'
    FROM partners WHERE slug IN ('by-activity', 'by-wallet')`)
  await before.query(`
    INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
    SELECT gen_random_uuid(), id, 'payout_fee', 'x', 1, '2026-05-01', now() FROM partners WHERE slug = 'by-wallet'`)

  expect(await migrate(empty.url)).toEqual(['Invoices1794700800009', 'SettledAtIssue1794700800032'])

  const rows = await before.query(`
    SELECT slug, to_char(live_opened_at AT TIME ZONE 'UTC', 'MM-DD') AS opened,
      to_char(closed_at AT TIME ZONE 'UTC', 'MM-DD') AS closed,
      (SELECT count(*)::int FROM uninvoiced_charges WHERE partner_id = partners.id) AS waiting
    FROM partners ORDER BY slug`)
  expect(rows).toEqual([
    { slug: 'by-activity', opened: '03-03', closed: null, waiting: 0 },
    { slug: 'by-itself', opened: '09-09', closed: null, waiting: 0 },
    { slug: 'by-wallet', opened: '04-04', closed: null, waiting: 1 },
    { slug: 'gone', opened: null, closed: '08-08', waiting: 0 },
    { slug: 'not-approved', opened: null, closed: null, waiting: 0 },
  ])
})

test('already approved partners are charged for their verification once, in the month of the approval', async () => {
  await addPartners('never-charged', 'charged')
  await before.query(`INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
    SELECT gen_random_uuid(), id, 'verification', 'x', 1, '2026-08-01', now() FROM partners WHERE slug = 'charged'`)

  await migrate(empty.url)

  const charged = await before.query(`
    SELECT slug, cause_ref, amount_micropounds, month::text FROM charges JOIN partners ON partners.id = partner_id
    WHERE kind = 'verification' ORDER BY slug`)
  expect(charged).toEqual([
    { slug: 'charged', cause_ref: 'x', amount_micropounds: '1', month: '2026-08-01' },
    // Approved in the last hour of August in UTC, which is September in London.
    { slug: 'never-charged', cause_ref: 'verification', amount_micropounds: '39000000', month: '2026-09-01' },
  ])
  await withDatabase(async (db) => {
    const [{ id }] = await before.query(`SELECT id FROM partners WHERE slug = 'never-charged'`)
    const { lines } = await billed(db, { id }, '2026-10')
    expect(lines.map(({ description, amountPence }) => [description, amountPence])).toEqual([
      ['Monthly account, September 2026 and October 2026', 3_000n],
      ['Business verification', 3_900n],
    ])
  })
})

test('existing invoices keep their amounts, can be read, paid and voided, and their months are not billed again', async () => {
  await addPartners('old')
  const [{ id: partnerId }] = await before.query('SELECT id FROM partners')
  await before.query(
    `INSERT INTO invoices (id, partner_id, period, number, status, total_pence, issued_at, paid_at, voided_at, created_at) VALUES
      (gen_random_uuid(), $1, '2026-07-01', 'INV-2026-000001', 'void', 100, '2026-08-01Z', '2026-08-03Z', NULL, '2026-08-01Z'),
      (gen_random_uuid(), $1, '2026-08-01', 'INV-2026-000002', 'paid', 100, '2026-09-01Z', NULL, NULL, '2026-09-01Z'),
      (gen_random_uuid(), $1, '2026-09-01', 'INV-2026-000003', 'open', 100, '2026-10-01Z', NULL, NULL, '2026-10-01Z'),
      (gen_random_uuid(), $1, '2026-06-01', 'INV-2026-000004', 'open', 100, '2026-10-01Z', NULL, NULL, '2026-10-01Z'),
      (gen_random_uuid(), $1, '2026-05-01', 'INV-2026-000005', 'open', 0, '2026-06-01Z', NULL, NULL, '2026-06-01Z')`,
    [partnerId],
  )
  await before.query(`INSERT INTO invoice_lines
      (id, invoice_id, position, kind, description, quantity, unit_amount_micropounds, amount_pence)
    SELECT gen_random_uuid(), id, 0, 'payout_fees', 'Payout fees', 3, 330000, 100 FROM invoices`)
  await before.query('INSERT INTO invoice_numbers VALUES (2026, 5)')

  await migrate(empty.url)

  await withDatabase(async (db) => {
    const rows: { id: string; reason: string | null }[] = await before.query(
      'SELECT id, void_reason AS reason FROM invoices ORDER BY number',
    )
    const documents = await Promise.all(rows.map(({ id }) => findInvoiceDocument(db, partnerId, id)))
    expect(documents).toMatchObject([
      { status: 'void', totalPence: 100n, voidedOn: '2026-08-01', dueOn: '2026-08-15' },
      {
        status: 'paid',
        totalPence: 100n,
        paidOn: '2026-09-01',
        seller: { name: 'Not recorded' },
        buyer: { name: 'Old' },
      },
      {
        status: 'open',
        totalPence: 100n,
        lines: [{ quantity: 1, unitAmountMicropounds: 1_000_000n, amountPence: 100n }],
      },
      { status: 'open' },
      { status: 'paid', totalPence: 0n, paidOn: '2026-06-01' },
    ])
    expect(rows[0]?.reason).toBe('not recorded, paid on 2026-08-03')
    const at = new Date('2026-11-10T12:00:00Z')
    const paid = await db.transaction((tx) => markInvoicePaid(tx, { number: 'INV-2026-000003', at }))
    const voided = await db.transaction((tx) => voidInvoice(tx, { number: 'INV-2026-000004', reason: 'x', at }))
    expect([paid.outcome, voided.outcome]).toEqual(['moved', 'moved'])

    const october = await billed(db, { id: partnerId }, '2026-10')
    expect(october.number).toBe('INV-2026-000006')
    expect(october.lines[0]?.description).toBe('Monthly account, October 2026')
  })
})

test('the migration waits for a payout transaction that is still running', async () => {
  await addPartners('busy')
  const payout = before.createQueryRunner()
  await payout.startTransaction()
  // An insert takes the same table lock before it reads the partner.
  await payout.query('LOCK TABLE charges IN ROW EXCLUSIVE MODE')

  const migrating = migrate(empty.url)
  await untilLockWaiterOf('charges')
  await payout.query(`INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
    SELECT gen_random_uuid(), id, 'payout_fee', 'x', 1, '2026-10-01', now() FROM partners`)
  await payout.commitTransaction()
  await payout.release()

  expect(await migrating).toEqual(['Invoices1794700800009', 'SettledAtIssue1794700800032'])
})

/** Adds partners approved at 23:30 UTC on 31 August, with the standard prices since January. */
async function addPartners(...slugs: string[]): Promise<void> {
  await before.query(
    `INSERT INTO partners (id, slug, name, verification_status, created_at, updated_at)
      SELECT gen_random_uuid(), slug, initcap(slug), 'approved', '2026-01-01Z', '2026-08-31T23:30:00Z'
      FROM unnest($1::text[]) AS slug`,
    [slugs],
  )
  await before.query(`INSERT INTO price_lists SELECT (jsonb_populate_record(standard, jsonb_build_object(
      'id', gen_random_uuid(), 'partner_id', partners.id, 'valid_from', '2026-01-01T00:00:00Z'))).*
    FROM price_lists standard, partners WHERE partner_id IS NULL`)
}

async function withDatabase(work: (db: Db) => Promise<void>): Promise<void> {
  const db = await openDb(empty.url, 4)
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

async function untilLockWaiterOf(table: string): Promise<void> {
  const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass'
  while ((await before.query(waiting, [table])).length === 0);
}
