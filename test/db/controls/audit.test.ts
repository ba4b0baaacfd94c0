// Ledger rows, charges and recorded changes are chained in order, and none is omitted.
import { expect, test } from '@jest/globals'
import { recordActivity } from '../../../db/controls/activity'
import { verifyAudit } from '../../../db/controls/audit/verify'
import { asApplication } from '../../support/db/app-role'
import { openDb } from '../../support/db/database'
import { sealAll } from '../../support/db/seal-all'
import { withoutTriggers } from '../../support/db/without-triggers'
import { until } from '../../support/until'
import {
  accounts,
  actionsSealed,
  anEntry,
  aTransaction,
  chain,
  faultAt,
  later,
  nothingLeft,
  now,
  sealLongAgo,
  sealSome,
  someRows,
  stage,
  useStage,
} from './an-audit-stage'

useStage()

test('every row is sealed once, a set before its entries, and reads are not sealed', async () => {
  await someRows(3)
  await recordActivity(stage.db, [anEntry('balance.read', 'nothing')])

  const sealed = await sealAll(stage.db, now)

  const links = await chain()
  expect(sealed).toBe(links.length)
  expect(await sealAll(stage.db, now)).toBe(0)
  expect(links.map(({ sequence }) => sequence)).toEqual(links.map((_, index) => String(index + 1)))
  expect(links.filter(({ table_name }) => table_name === 'activity')).toHaveLength(3)
  expect(links.slice(0, accounts + 3).map(({ table_name }) => table_name)).toEqual([
    ...Array.from({ length: accounts }, () => 'ledger_accounts'),
    'ledger_sets',
    'ledger_entries',
    'ledger_entries',
  ])
  expect(await verifyAudit(stage.db)).toMatchObject({ links: BigInt(links.length), fault: null, unsealed: nothingLeft })
})

test('unsealed rows are counted', async () => {
  await someRows(1)
  await sealAll(stage.db, now)
  await someRows(2)

  expect(await verifyAudit(stage.db)).toMatchObject({
    fault: null,
    unsealed: { ledger_sets: 2, ledger_entries: 4, charges: 2, activity: 2 },
  })
})

test('new rows are still sealed after the sealer has moved past earlier rows', async () => {
  await someRows(2)
  await sealLongAgo()
  await someRows(2)

  expect(await sealAll(stage.db, later(1))).toBe(10)
  expect(await verifyAudit(stage.db)).toMatchObject({ links: 26n, fault: null, unsealed: nothingLeft })
})

test('concurrent sealers with small batches create one unbroken chain', async () => {
  await someRows(5)

  for (let sealed = 0; sealed < accounts + 25; ) {
    const counts = await Promise.all([sealSome(2), sealSome(2), sealSome(2)])
    sealed += counts.reduce((sum, count) => sum + count, 0)
  }

  expect(await verifyAudit(stage.db)).toMatchObject({ links: 31n, fault: null, unsealed: nothingLeft })
})

test('rows newer than a running transaction are not sealed, so no row can later appear before a sealed one', async () => {
  await sealAll(stage.db, now)
  const slow = await aTransaction()
  await slow.write('slow.change')
  await recordActivity(stage.db, [anEntry('quick.change')])

  const early = await sealSome(1_000)
  await slow.commit()
  const late = await sealAll(stage.db, now)

  expect([early, late]).toEqual([0, 2])
  expect(await actionsSealed()).toEqual(['slow.change', 'quick.change'])
})

test('a row that commits long after higher IDs were sealed is still sealed, even by a role that cannot see other sessions', async () => {
  const url = await asApplication(stage.url)
  const application = await openDb(url, 2)
  const [slow, quick] = [await aTransaction(), await aTransaction()]
  // The quick transaction writes first, so that it can be sealed while the slow one is running. Its last row gets a
  // higher ID than the slow transaction's row.
  await quick.write('quick.change')
  await slow.write('slow.change')
  await quick.write('quick.change.later')
  await quick.commit()
  await until('the quick transaction is sealed', async () => {
    await sealSome(1_000, now, application)
    return (await chain()).length === accounts + 2
  })

  for (const hours of [1, 2, 3]) expect(await sealSome(1_000, later(hours), application)).toBe(0)
  await slow.commit()

  const { fault } = await until('no row is left or lost', async () => {
    await sealSome(1_000, later(4), application)
    const verified = await verifyAudit(application)
    return verified.fault !== null || verified.unsealed.activity === 0 ? verified : null
  })
  await application.close()
  expect(fault).toBeNull()
  expect(await actionsSealed()).toEqual(['quick.change', 'quick.change.later', 'slow.change'])
})

test('the sealer moves past sealed rows after five minutes, but not if the stored transaction ID is another server’s', async () => {
  const progressAt = async (minutes: number) => {
    await sealSome(1_000, later(minutes / 60))
    const [progress] = await stage.db.dataSource.query(
      'SELECT passed_to::int AS passed, next_before::text AS before FROM audit_progress',
    )
    return progress
  }
  const next = async (before: bigint) =>
    withoutTriggers(stage.db, 'UPDATE audit_progress SET passed_to = 0, next_to = 7, next_before = $1, next_at = $2', [
      before,
      now,
    ])
  await sealSome(1_000)

  await next(1n)
  expect([(await progressAt(4)).passed, (await progressAt(6)).passed]).toEqual([0, 7])

  const elsewhere = 1_000_000_000_000_000n
  await next(elsewhere)
  const { passed, before } = await progressAt(60)
  expect(passed).toBe(0)
  expect(BigInt(before)).toBeLessThan(elsewhere)
})

test.each(['ledger_entries', 'charges'])(
  'a row in %s is not sealed before all earlier transactions have ended',
  async (table) => {
    await sealAll(stage.db, now)
    const slow = await aTransaction()
    await slow.write('slow.change')
    await someRows(1)

    await sealSome(1_000)
    const early = (await chain()).filter(({ table_name }) => table_name === table)
    await slow.commit()
    await sealAll(stage.db, now)

    expect(early).toEqual([])
    expect(await verifyAudit(stage.db)).toMatchObject({ fault: null, unsealed: nothingLeft })
  },
)

test('a chain that is longer than one batch is verified to its end', async () => {
  await someRows(3)
  await sealAll(stage.db, now)
  const last = (await chain()).at(-1)

  const whole = await verifyAudit(stage.db, null, 2)
  await withoutTriggers(stage.db, 'DELETE FROM activity WHERE id::text = $1', [last?.row_id])
  const broken = await verifyAudit(stage.db, null, 2)

  expect(whole).toMatchObject({ links: 21n, fault: null })
  expect(broken.fault).toEqual(faultAt('row_missing', last))
})

test('rows are still hashed in the format of the first links', async () => {
  await someRows(2)
  await sealAll(stage.db, now)

  const others = Object.entries(firstTexts).map(
    ([table, columns]) => `SELECT row_id FROM audit_chain c JOIN ${table} r ON r.id::text = c.row_id
      WHERE c.table_name = '${table}'
        AND c.row_hash <> sha256(convert_to(jsonb_build_array('${table}', ${columns})::text, 'UTF8'))`,
  )
  expect(await stage.db.dataSource.query(others.join(' UNION ALL '))).toEqual([])
})

/** The columns as migration 14 hashed them. Stored hashes cannot change, so these must not change either. */
const firstTexts = {
  ledger_sets: `r.id, r.wallet_id, r.cause, r.cause_ref, r.payout_id, r.bank_ref, r.created_by,
    extract(epoch FROM r.created_at)`,
  ledger_entries: 'r.id, r.set_id, r.account_id, r.amount_micro_usdc, r.balance_micro_usdc',
  charges: `r.id, r.partner_id, r.kind, r.cause_ref, r.payout_id, r.amount_micropounds, r.month - date '2000-01-01',
    r.description, extract(epoch FROM r.created_at)`,
  activity: `r.id, r.partner_id, extract(epoch FROM r.at), r.environment, r.action, r.changes, r.status, r.made_by, r.detail,
    r.request_id`,
}

test('the chain is append-only', async () => {
  await someRows(1)
  await sealAll(stage.db, now)

  for (const change of [
    'UPDATE audit_chain SET sealed_at = now()',
    'DELETE FROM audit_chain',
    'TRUNCATE audit_chain',
  ]) {
    await expect(stage.db.dataSource.query(change)).rejects.toThrow('audit_chain is append only')
  }
})

test('a hash depends on neither the session’s time zone nor its date style', async () => {
  await someRows(1)
  await sealAll(stage.db, now)
  await stage.db.dataSource.query(`ALTER DATABASE ${new URL(stage.url).pathname.slice(1)} SET TimeZone = 'Asia/Tokyo'`)
  await stage.db.dataSource.query(`ALTER DATABASE ${new URL(stage.url).pathname.slice(1)} SET DateStyle = 'German'`)
  const elsewhere = await openDb(stage.url, 1)

  const { fault } = await verifyAudit(elsewhere)

  await elsewhere.close()
  expect(fault).toBeNull()
})
