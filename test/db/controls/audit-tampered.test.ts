// Verification finds every change to a row or link after it was sealed, and every row inserted before sealed rows.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { recordActivity } from '../../../db/controls/activity'
import { verifyAudit } from '../../../db/controls/audit/verify'
import { openDb } from '../../support/db/database'
import { sealAll } from '../../support/db/seal-all'
import { withoutTriggers } from '../../support/db/without-triggers'
import {
  anEntry,
  chain,
  faultAt,
  later,
  now,
  sealLongAgo,
  sealSome,
  secondOf,
  someRows,
  stage,
  useStage,
} from './an-audit-stage'

useStage()

describe('with the triggers disabled, verification finds', () => {
  beforeEach(async () => {
    await someRows(3)
    await sealAll(stage.db, now)
  })

  test.each([
    ['ledger_sets', `created_by = 'somebody else'`],
    ['ledger_sets', `created_at = created_at + interval '1 microsecond'`],
    ['ledger_entries', 'amount_micro_usdc = amount_micro_usdc + 1'],
    ['charges', 'amount_micropounds = amount_micropounds + 1'],
    ['charges', `month = month + interval '1 month'`],
    ['activity', `made_by = 'somebody else'`],
    ['activity', 'changes = false'],
  ])('an edited row in %s: %s', async (table, change) => {
    const link = await secondOf(table)
    await withoutTriggers(stage.db, `UPDATE ${table} SET ${change} WHERE id::text = $1`, [link.row_id])

    expect((await verifyAudit(stage.db)).fault).toEqual(faultAt('row_changed', link))
  })

  test.each(['ledger_sets', 'ledger_entries', 'charges', 'activity'])('a row deleted from %s', async (table) => {
    const link = await secondOf(table)
    await withoutTriggers(stage.db, `DELETE FROM ${table} WHERE id::text = $1`, [link.row_id])

    expect((await verifyAudit(stage.db)).fault).toEqual(faultAt('row_missing', link))
  })

  test('two swapped rows', async () => {
    const [one, other] = (await chain()).filter(({ table_name }) => table_name === 'activity')
    await withoutTriggers(
      stage.db,
      `UPDATE activity SET action = (SELECT action FROM activity o WHERE o.id::text <> activity.id::text AND o.id::text IN ($1, $2))
        WHERE id::text IN ($1, $2)`,
      [one?.row_id, other?.row_id],
    )

    expect((await verifyAudit(stage.db)).fault).toEqual(faultAt('row_changed', one))
  })

  test('two swapped links', async () => {
    const [, , , third, fourth] = await chain()
    await withoutTriggers(stage.db, 'UPDATE audit_chain SET sequence = -1 WHERE sequence = $1', [third?.sequence])
    await withoutTriggers(stage.db, 'UPDATE audit_chain SET sequence = $1 WHERE sequence = $2', [
      third?.sequence,
      fourth?.sequence,
    ])
    await withoutTriggers(stage.db, 'UPDATE audit_chain SET sequence = $1 WHERE sequence = -1', [fourth?.sequence])

    expect((await verifyAudit(stage.db)).fault).toEqual(
      faultAt('link_changed', fourth && { ...fourth, sequence: String(third?.sequence) }),
    )
  })

  test('a row edited together with its link', async () => {
    const link = await secondOf('ledger_entries')
    await withoutTriggers(stage.db, 'UPDATE ledger_entries SET amount_micro_usdc = 7 WHERE id::text = $1', [
      link.row_id,
    ])
    await withoutTriggers(
      stage.db,
      `UPDATE audit_chain SET row_hash = (
          SELECT sha256(convert_to(jsonb_build_array('ledger_entries', e.id, e.set_id, e.account_id, e.amount_micro_usdc,
            e.balance_micro_usdc)::text, 'UTF8')) FROM ledger_entries e WHERE e.id::text = row_id)
        WHERE sequence = $1`,
      [link.sequence],
    )

    expect((await verifyAudit(stage.db)).fault).toEqual(faultAt('link_changed', link))
  })

  test('a link removed together with its row', async () => {
    const link = await secondOf('activity')
    await withoutTriggers(stage.db, 'DELETE FROM activity WHERE id::text = $1', [link.row_id])
    await withoutTriggers(stage.db, 'DELETE FROM audit_chain WHERE sequence = $1', [link.sequence])

    const sequence = BigInt(link.sequence)
    expect((await verifyAudit(stage.db)).fault).toEqual({ what: 'link_missing', sequence, table: null, rowId: null })
  })

  test('a truncated chain whose rows were also removed, by comparing it with a stored head', async () => {
    const { head } = await verifyAudit(stage.db)
    const last = (await chain()).at(-1)
    await withoutTriggers(stage.db, 'DELETE FROM activity WHERE id::text = $1', [last?.row_id])
    await withoutTriggers(stage.db, 'DELETE FROM audit_chain WHERE sequence = $1', [last?.sequence])

    const gone = { what: 'head_missing', sequence: BigInt(last?.sequence ?? 0), table: null, rowId: null }
    expect((await verifyAudit(stage.db, head)).fault).toEqual(gone)
    expect((await verifyAudit(stage.db, (await verifyAudit(stage.db)).head)).fault).toBeNull()
  })

  test('an edited row, even if a function shadows one of PostgreSQL’s own', async () => {
    const link = await secondOf('activity')
    const [{ text }] = await stage.db.dataSource.query(
      `SELECT jsonb_build_array('activity', id, partner_id, extract(epoch FROM at), environment, action, changes, status, made_by,
        detail, request_id)::text AS text FROM activity WHERE id::text = $1`,
      [link.row_id],
    )
    const types = 'text, bigint, uuid, numeric, text, text, boolean, integer, text, text, text'
    await stage.db.dataSource.query(
      `CREATE FUNCTION jsonb_build_array(${types}) RETURNS jsonb LANGUAGE sql AS $$ SELECT '${text}'::jsonb $$`,
    )
    await stage.db.dataSource.query(
      `ALTER DATABASE ${new URL(stage.url).pathname.slice(1)} SET search_path = public, pg_catalog`,
    )
    await withoutTriggers(stage.db, `UPDATE activity SET made_by = 'somebody else' WHERE id::text = $1`, [link.row_id])
    const elsewhere = await openDb(stage.url, 1)

    const { fault } = await verifyAudit(elsewhere)

    await elsewhere.close()
    expect(fault).toEqual(faultAt('row_changed', link))
  })

  test('accounts that were swapped between two wallets', async () => {
    const mine = stage.wallet
    const theirs = await stage.openAnotherWallet()
    await someRows(1)
    await sealAll(stage.db, now)
    const { head } = await verifyAudit(stage.db)
    const rows: { id: string; wallet_id: string }[] = await stage.db.dataSource.query(
      `SELECT id, wallet_id FROM ledger_accounts WHERE kind = 'wallet'`,
    )
    const [one, other] = [mine.id, theirs.id].map((id) => rows.find(({ wallet_id }) => wallet_id === id)?.id)
    const between = randomUUID()
    for (const [from, to] of [
      [one, between],
      [other, one],
      [between, other],
    ]) {
      await withoutTriggers(stage.db, 'UPDATE ledger_accounts SET id = $2 WHERE id = $1', [from, to])
    }

    const link = (await chain()).find(({ row_id }) => row_id === one || row_id === other)
    expect((await verifyAudit(stage.db, head)).fault).toEqual(faultAt('row_changed', link))
  })

  test('a link whose row ID is not a valid ID', async () => {
    const link = await secondOf('charges')
    await withoutTriggers(stage.db, `UPDATE audit_chain SET row_id = 'nothing' WHERE sequence = $1`, [link.sequence])

    expect((await verifyAudit(stage.db)).fault).toEqual(faultAt('row_missing', { ...link, row_id: 'nothing' }))
  })
})

describe('a row inserted before sealed rows', () => {
  beforeEach(async () => {
    await someRows(3)
    await sealLongAgo()
  })

  test.each([
    [
      'charges',
      randomUUID(),
      `INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
        SELECT $1, partner_id, 'exception', 'forged', 999000000, month, created_at - interval '10 days' FROM charges LIMIT 1`,
    ],
    [
      'activity',
      '-5',
      `INSERT INTO activity (id, partner_id, at, environment, action, changes, status, made_by) OVERRIDING SYSTEM VALUE
        SELECT $1, partner_id, at, environment, 'payout.resolve', true, 200, 'ops:somebody-else' FROM activity LIMIT 1`,
    ],
    [
      'ledger_sets',
      randomUUID(),
      `INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, created_by, created_at)
        SELECT $1, wallet_id, 'forged', 'x', 'x', created_at FROM ledger_sets LIMIT 1`,
    ],
    [
      'ledger_entries',
      '-5',
      `INSERT INTO ledger_entries (id, set_id, account_id, amount_micro_usdc) OVERRIDING SYSTEM VALUE
        SELECT $1, set_id, (SELECT id FROM ledger_accounts WHERE kind = 'suspense'), 7 FROM ledger_entries LIMIT 1`,
    ],
    [
      'ledger_accounts',
      randomUUID(),
      `WITH older AS (INSERT INTO wallets (id, partner_id, environment, rail, created_at, updated_at)
          SELECT gen_random_uuid(), partner_id, 'live', 'provider_production', created_at - interval '10 days', updated_at
          FROM wallets RETURNING id)
        INSERT INTO ledger_accounts (id, wallet_id, kind) SELECT $1, id, 'wallet' FROM older`,
    ],
  ])('in %s is reported and never sealed', async (table, rowId, insert) => {
    await withoutTriggers(stage.db, insert, [rowId])

    const sealed = [await sealSome(1_000, later(2)), await sealSome(1_000, later(3))]

    expect(sealed).toEqual([0, 0])
    expect((await verifyAudit(stage.db)).fault).toEqual({ what: 'row_unsealed', sequence: null, table, rowId })
  })

  test('is reported even if it was inserted as a read and later changed into a write', async () => {
    await recordActivity(stage.db, [anEntry('balance.read', 'nothing')])
    await someRows(1)
    await sealLongAgo()
    await withoutTriggers(stage.db, `UPDATE activity SET changes = true WHERE NOT changes`)

    expect((await verifyAudit(stage.db)).fault).toMatchObject({ what: 'row_unsealed', table: 'activity' })
  })

  test('is distinguished from new rows, which only count as unsealed', async () => {
    await someRows(2)

    expect(await verifyAudit(stage.db)).toMatchObject({
      fault: null,
      unsealed: { ledger_entries: 4, charges: 2, activity: 2 },
    })
  })
})
