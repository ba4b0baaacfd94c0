// Migration 9 on a database in use: partners that were approved before it are billed from their opening on, and no charge is lost.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DataSource } from 'typeorm'
import { migrate } from '../../db/migrate'
import { migrations } from '../../db/migrations'
import { createEmptyDatabase } from './empty-database'

let empty: { url: string; drop(): Promise<void> }
let before: DataSource

beforeAll(async () => {
  empty = await createEmptyDatabase()
  const landed = migrations.filter(({ name }) => !name.startsWith('Invoices'))
  before = new DataSource({ type: 'postgres', url: empty.url, migrations: landed, migrationsTableName: 'migrations' })
  await before.initialize()
  await before.runMigrations({ transaction: 'each' })
})
afterAll(async () => {
  await before.destroy()
  await empty.drop()
})

test('the opening of a live account is its approval, else its wallet’s, and what was charged waits for an invoice', async () => {
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

  expect(await migrate(empty.url)).toEqual(['Invoices1794700800009'])

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
