// What was booked, charged and changed is chained in order, and whoever touches a row or a link afterwards is named (check 45).
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Client } from 'pg'
import { recordActivity } from '../../db/activity'
import { sealRows } from '../../db/audit-seal'
import { verifyAudit } from '../../db/audit-verify'
import { addCharge } from '../../db/charges'
import { type Db, openDatabase, type Queryable, type Statement } from '../../db/database'
import { postSet } from '../../db/ledger'
import type { WalletRow } from '../../db/wallets'
import { topUpPostings } from '../../domain/ledger'
import { until } from '../local/until'
import { asApplication } from '../setup/app-role'
import { createDatabase, type TestDatabase } from '../setup/database'
import { aWallet } from './a-partner'
import { behindOurBack } from './behind-our-back'
import { sealAll } from './seal-all'

let database: TestDatabase
let db: Db
let wallet: WalletRow
const now = new Date('2026-11-15T10:00:00.123Z')
const nothingLeft = { ledger_sets: 0, ledger_entries: 0, charges: 0, activity: 0, ledger_accounts: 0 }
/** Of the one wallet, sealed before all else. */
const accounts = 6

beforeEach(async () => {
  database = await createDatabase()
  db = await openDatabase({ url: database.url, poolSize: 5, onError: () => undefined })
  wallet = await aWallet(db)
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

test('every row is sealed once, a set before its entries, and reads are left out', async () => {
  await someRows(3)
  await recordActivity(db, [anEntry('balance.read', 'nothing')])

  const sealed = await sealAll(db, now)

  const links = await chain()
  expect(sealed).toBe(links.length)
  expect(await sealAll(db, now)).toBe(0)
  expect(links.map(({ sequence }) => sequence)).toEqual(links.map((_, index) => String(index + 1)))
  expect(links.filter(({ table_name }) => table_name === 'activity')).toHaveLength(3)
  expect(links.slice(0, accounts + 3).map(({ table_name }) => table_name)).toEqual([
    ...Array.from({ length: accounts }, () => 'ledger_accounts'),
    'ledger_sets',
    'ledger_entries',
    'ledger_entries',
  ])
  expect(await verifyAudit(db)).toMatchObject({ links: BigInt(links.length), fault: null, unsealed: nothingLeft })
})

test('what is not sealed yet is counted', async () => {
  await someRows(1)
  await sealAll(db, now)
  await someRows(2)

  expect(await verifyAudit(db)).toMatchObject({
    fault: null,
    unsealed: { ledger_sets: 2, ledger_entries: 4, charges: 2, activity: 2 },
  })
})

test('what was sealed long ago is not looked through again, and what is new is still found', async () => {
  await someRows(2)
  await sealLongAgo()
  await someRows(2)

  expect(await sealAll(db, later(1))).toBe(10)
  expect(await verifyAudit(db)).toMatchObject({ links: 26n, fault: null, unsealed: nothingLeft })
})

test('small batches, and several sealers at once, make the same unbroken chain', async () => {
  await someRows(5)

  for (let sealed = 0; sealed < accounts + 25; ) {
    const counts = await Promise.all([sealSome(2), sealSome(2), sealSome(2)])
    sealed += counts.reduce((sum, count) => sum + count, 0)
  }

  expect(await verifyAudit(db)).toMatchObject({ links: 31n, fault: null, unsealed: nothingLeft })
})

test('nothing is sealed that is younger than a transaction which still runs, so that nothing comes in before it later', async () => {
  await sealAll(db, now)
  const slow = await aTransaction()
  await slow.write('slow.change')
  await recordActivity(db, [anEntry('quick.change')])

  const early = await sealSome(1_000)
  await slow.commit()
  const late = await sealAll(db, now)

  expect([early, late]).toEqual([0, 2])
  expect(await actionsSealed()).toEqual(['slow.change', 'quick.change'])
})

test('what commits long after higher numbers were sealed is sealed too, by a role that may not watch the sessions of others', async () => {
  const url = await asApplication(database.url)
  const application = await openDatabase({ url, poolSize: 2, onError: () => undefined })
  const [slow, quick] = [await aTransaction(), await aTransaction()]
  // The quick one begins to write first, so that it can be sealed while the slow one runs, and takes the higher number last.
  await quick.write('quick.change')
  await slow.write('slow.change')
  await quick.write('quick.change.later')
  await quick.commit()
  await until('the quick one is sealed', async () => {
    await sealSome(1_000, now, application)
    return (await chain()).length === accounts + 2
  })

  for (const hours of [1, 2, 3]) expect(await sealSome(1_000, later(hours), application)).toBe(0)
  await slow.commit()

  const { fault } = await until('nothing is left, or lost', async () => {
    await sealSome(1_000, later(4), application)
    const verified = await verifyAudit(application)
    return verified.fault !== null || verified.unsealed.activity === 0 ? verified : null
  })
  await application.close()
  expect(fault).toBeNull()
  expect(await actionsSealed()).toEqual(['quick.change', 'quick.change.later', 'slow.change'])
})

test('what is sealed is passed after minutes, and by the transactions of this server, not of one that the database came from', async () => {
  const progressAt = async (minutes: number) => {
    await sealSome(1_000, later(minutes / 60))
    const [progress] = await db.dataSource.query(
      'SELECT passed_to::int AS passed, next_before::text AS before FROM audit_progress',
    )
    return progress
  }
  const next = async (before: bigint) =>
    behindOurBack(db, 'UPDATE audit_progress SET passed_to = 0, next_to = 7, next_before = $1, next_at = $2', [
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
  'a row of %s is not sealed before all that began before it are over',
  async (table) => {
    await sealAll(db, now)
    const slow = await aTransaction()
    await slow.write('slow.change')
    await someRows(1)

    await sealSome(1_000)
    const early = (await chain()).filter(({ table_name }) => table_name === table)
    await slow.commit()
    await sealAll(db, now)

    expect(early).toEqual([])
    expect(await verifyAudit(db)).toMatchObject({ fault: null, unsealed: nothingLeft })
  },
)

test('a chain of any length is followed to its end', async () => {
  await someRows(3)
  await sealAll(db, now)
  const last = (await chain()).at(-1)

  const whole = await verifyAudit(db, null, 2)
  await behindOurBack(db, 'DELETE FROM activity WHERE id::text = $1', [last?.row_id])
  const broken = await verifyAudit(db, null, 2)

  expect(whole).toMatchObject({ links: 21n, fault: null })
  expect(broken.fault).toEqual(faultAt('row_missing', last))
})

test('the bytes that are hashed are those of the first links', async () => {
  await someRows(2)
  await sealAll(db, now)

  const tables = ['ledger_sets', 'ledger_entries', 'charges', 'activity']
  const others = tables.map(
    (table) => `SELECT row_id FROM audit_chain c JOIN ${table} r ON r.id::text = c.row_id
      WHERE c.table_name = '${table}' AND c.row_hash <> audit_hash(r)`,
  )
  expect(await db.dataSource.query(others.join(' UNION ALL '))).toEqual([])
})

test('the chain is append only', async () => {
  await someRows(1)
  await sealAll(db, now)

  for (const change of [
    'UPDATE audit_chain SET sealed_at = now()',
    'DELETE FROM audit_chain',
    'TRUNCATE audit_chain',
  ]) {
    await expect(db.dataSource.query(change)).rejects.toThrow('audit_chain is append only')
  }
})

test('a hash depends neither on the time zone nor on the date style of who asks', async () => {
  await someRows(1)
  await sealAll(db, now)
  await db.dataSource.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET TimeZone = 'Asia/Tokyo'`)
  await db.dataSource.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET DateStyle = 'German'`)
  const elsewhere = await openDatabase({ url: database.url, poolSize: 1, onError: () => undefined })

  const { fault } = await verifyAudit(elsewhere)

  await elsewhere.close()
  expect(fault).toBeNull()
})

describe('a superuser with the triggers off is named', () => {
  beforeEach(async () => {
    await someRows(3)
    await sealAll(db, now)
  })

  test.each([
    ['ledger_sets', `created_by = 'somebody else'`],
    ['ledger_sets', `created_at = created_at + interval '1 microsecond'`],
    ['ledger_entries', 'amount_micro_usdc = amount_micro_usdc + 1'],
    ['charges', 'amount_micropounds = amount_micropounds + 1'],
    ['charges', `month = month + interval '1 month'`],
    ['activity', `made_by = 'somebody else'`],
    ['activity', 'changes = false'],
  ])('who edits a row of %s: %s', async (table, change) => {
    const link = await secondOf(table)
    await behindOurBack(db, `UPDATE ${table} SET ${change} WHERE id::text = $1`, [link.row_id])

    expect((await verifyAudit(db)).fault).toEqual(faultAt('row_changed', link))
  })

  test.each(['ledger_sets', 'ledger_entries', 'charges', 'activity'])('who deletes a row of %s', async (table) => {
    const link = await secondOf(table)
    await behindOurBack(db, `DELETE FROM ${table} WHERE id::text = $1`, [link.row_id])

    expect((await verifyAudit(db)).fault).toEqual(faultAt('row_missing', link))
  })

  test('who lets two rows change places', async () => {
    const [one, other] = (await chain()).filter(({ table_name }) => table_name === 'activity')
    await behindOurBack(
      db,
      `UPDATE activity SET action = (SELECT action FROM activity o WHERE o.id::text <> activity.id::text AND o.id::text IN ($1, $2))
        WHERE id::text IN ($1, $2)`,
      [one?.row_id, other?.row_id],
    )

    expect((await verifyAudit(db)).fault).toEqual(faultAt('row_changed', one))
  })

  test('who lets two links change places', async () => {
    const [, , , third, fourth] = await chain()
    await behindOurBack(db, 'UPDATE audit_chain SET sequence = -1 WHERE sequence = $1', [third?.sequence])
    await behindOurBack(db, 'UPDATE audit_chain SET sequence = $1 WHERE sequence = $2', [
      third?.sequence,
      fourth?.sequence,
    ])
    await behindOurBack(db, 'UPDATE audit_chain SET sequence = $1 WHERE sequence = -1', [fourth?.sequence])

    expect((await verifyAudit(db)).fault).toEqual(
      faultAt('link_changed', fourth && { ...fourth, sequence: String(third?.sequence) }),
    )
  })

  test('who edits a row and its link with it', async () => {
    const link = await secondOf('ledger_entries')
    await behindOurBack(db, 'UPDATE ledger_entries SET amount_micro_usdc = 7 WHERE id::text = $1', [link.row_id])
    await behindOurBack(
      db,
      `UPDATE audit_chain SET row_hash = (SELECT audit_hash(e) FROM ledger_entries e WHERE e.id::text = row_id)
        WHERE sequence = $1`,
      [link.sequence],
    )

    expect((await verifyAudit(db)).fault).toEqual(faultAt('link_changed', link))
  })

  test('who removes a link, with its row or without', async () => {
    const link = await secondOf('activity')
    await behindOurBack(db, 'DELETE FROM activity WHERE id::text = $1', [link.row_id])
    await behindOurBack(db, 'DELETE FROM audit_chain WHERE sequence = $1', [link.sequence])

    const sequence = BigInt(link.sequence)
    expect((await verifyAudit(db)).fault).toEqual({ what: 'link_missing', sequence, table: null, rowId: null })
  })

  test('who removes the last links with their rows, by a head that was kept elsewhere', async () => {
    const { head } = await verifyAudit(db)
    const last = (await chain()).at(-1)
    await behindOurBack(db, 'DELETE FROM activity WHERE id::text = $1', [last?.row_id])
    await behindOurBack(db, 'DELETE FROM audit_chain WHERE sequence = $1', [last?.sequence])

    const gone = { what: 'head_missing', sequence: BigInt(last?.sequence ?? 0), table: null, rowId: null }
    expect((await verifyAudit(db, head)).fault).toEqual(gone)
    expect((await verifyAudit(db, (await verifyAudit(db)).head)).fault).toBeNull()
  })

  test('who replaces the function that hashes, and edits rows under it', async () => {
    const { head } = await verifyAudit(db)
    const [link] = (await chain()).filter(({ table_name }) => table_name === 'ledger_entries')
    await db.dataSource.query(`CREATE OR REPLACE FUNCTION audit_hash(r ledger_entries) RETURNS bytea LANGUAGE sql STABLE AS $$
      SELECT row_hash FROM audit_chain WHERE table_name = 'ledger_entries' AND row_id = r.id::text $$`)
    await behindOurBack(db, 'UPDATE ledger_entries SET amount_micro_usdc = amount_micro_usdc * 1000')

    expect((await verifyAudit(db, head)).fault).toEqual(faultAt('row_changed', link))
  })

  test('who puts functions and operators of the same name before those of PostgreSQL', async () => {
    const link = await secondOf('activity')
    const [{ text }] = await db.dataSource.query(
      `SELECT jsonb_build_array('activity', id, partner_id, extract(epoch FROM at), environment, action, changes, status, made_by,
        detail, request_id)::text AS text FROM activity WHERE id::text = $1`,
      [link.row_id],
    )
    const types = 'text, bigint, uuid, numeric, text, text, boolean, integer, text, text, text'
    await db.dataSource.query(
      `CREATE FUNCTION jsonb_build_array(${types}) RETURNS jsonb LANGUAGE sql AS $$ SELECT '${text}'::jsonb $$`,
    )
    await db.dataSource.query(
      `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET search_path = public, pg_catalog`,
    )
    await behindOurBack(db, `UPDATE activity SET made_by = 'somebody else' WHERE id::text = $1`, [link.row_id])
    const elsewhere = await openDatabase({ url: database.url, poolSize: 1, onError: () => undefined })

    const { fault } = await verifyAudit(elsewhere)

    await elsewhere.close()
    expect(fault).toEqual(faultAt('row_changed', link))
  })

  test('who lets the accounts of two wallets change places', async () => {
    const mine = wallet
    wallet = await aWallet(db)
    await someRows(1)
    await sealAll(db, now)
    const { head } = await verifyAudit(db)
    const rows: { id: string; wallet_id: string }[] = await db.dataSource.query(
      `SELECT id, wallet_id FROM ledger_accounts WHERE kind = 'wallet'`,
    )
    const [one, other] = [mine.id, wallet.id].map((id) => rows.find(({ wallet_id }) => wallet_id === id)?.id)
    const between = randomUUID()
    for (const [from, to] of [
      [one, between],
      [other, one],
      [between, other],
    ]) {
      await behindOurBack(db, 'UPDATE ledger_accounts SET id = $2 WHERE id = $1', [from, to])
    }

    const link = (await chain()).find(({ row_id }) => row_id === one || row_id === other)
    expect((await verifyAudit(db, head)).fault).toEqual(faultAt('row_changed', link))
  })

  test('who writes into a link what is no id', async () => {
    const link = await secondOf('charges')
    await behindOurBack(db, `UPDATE audit_chain SET row_id = 'nothing' WHERE sequence = $1`, [link.sequence])

    expect((await verifyAudit(db)).fault).toEqual(faultAt('row_missing', { ...link, row_id: 'nothing' }))
  })
})

describe('a row that is put in behind what was sealed is named, and never sealed', () => {
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
  ])('into %s', async (table, rowId, insert) => {
    await behindOurBack(db, insert, [rowId])

    const sealed = [await sealSome(1_000, later(2)), await sealSome(1_000, later(3))]

    expect(sealed).toEqual([0, 0])
    expect((await verifyAudit(db)).fault).toEqual({ what: 'row_unsealed', sequence: null, table, rowId })
  })

  test('also one that was there and is said to have changed something only now', async () => {
    await recordActivity(db, [anEntry('balance.read', 'nothing')])
    await someRows(1)
    await sealLongAgo()
    await behindOurBack(db, `UPDATE activity SET changes = true WHERE NOT changes`)

    expect((await verifyAudit(db)).fault).toMatchObject({ what: 'row_unsealed', table: 'activity' })
  })

  test('and what is only young is not', async () => {
    await someRows(2)

    expect(await verifyAudit(db)).toMatchObject({
      fault: null,
      unsealed: { ledger_entries: 4, charges: 2, activity: 2 },
    })
  })
})

interface Link {
  readonly sequence: string
  readonly table_name: string
  readonly row_id: string
}

async function chain(): Promise<Link[]> {
  return db.dataSource.query('SELECT sequence::text, table_name, row_id FROM audit_chain ORDER BY audit_chain.sequence')
}

async function actionsSealed(): Promise<string[]> {
  const rows: { action: string }[] = await db.dataSource.query(
    `SELECT action FROM audit_chain c JOIN activity a ON a.id::text = c.row_id AND c.table_name = 'activity' ORDER BY c.sequence`,
  )
  return rows.map(({ action }) => action)
}

/** Of the owner of the database, and as slow as the test wants it. */
async function aTransaction() {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query('BEGIN')
  const tx = {
    query: async <Row>({ text }: Statement, values: readonly unknown[]): Promise<Row[]> =>
      (await client.query({ text, values: [...values] })).rows,
  }
  return {
    write: (action: string) => recordActivity(tx, [anEntry(action)]),
    async commit() {
      await client.query('COMMIT')
      await client.end()
    },
  }
}

async function secondOf(table: string): Promise<Link> {
  const link = (await chain()).filter(({ table_name }) => table_name === table)[1]
  if (link === undefined) throw new Error('there must be two')
  return link
}

function faultAt(what: string, link: Link | undefined) {
  return { what, sequence: BigInt(link?.sequence ?? 0), table: link?.table_name, rowId: link?.row_id }
}

async function sealSome(limit: number, at = now, on = db): Promise<number> {
  return (await on.transaction((tx) => sealRows(tx, { at, limit })))?.rows ?? 0
}

/** So that the next look begins behind it. */
async function sealLongAgo(): Promise<void> {
  await sealAll(db, now)
  let hours = 0
  await until('what is sealed is passed', async () => {
    await sealSome(1_000, later((hours += 1)))
    const [{ done }] = await db.dataSource.query(
      'SELECT passed_to = (SELECT max(sequence) FROM audit_chain) AS done FROM audit_progress',
    )
    return done
  })
}

function later(hours: number): Date {
  return new Date(now.getTime() + hours * 3_600_000)
}

/** Each is a set with two entries, a charge and a change. */
async function someRows(count: number, on: Queryable = db): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const about = {
      walletId: wallet.id,
      cause: 'top_up',
      causeRef: randomUUID(),
      payoutId: null,
      createdBy: 'test',
      at: now,
    }
    await postSet(on, { ...about, postings: topUpPostings(1_000_000n) })
    const { partnerId } = wallet
    const charge = {
      kind: 'exception',
      causeRef: randomUUID(),
      payoutId: null,
      amountMicropounds: 5n,
      at: now,
    } as const
    await addCharge(on, { partnerId, ...charge })
    await recordActivity(on, [anEntry(`key.create${made}`)])
  }
}

function anEntry(action: string, changes: 'something' | 'nothing' = 'something') {
  const rest = { status: 201, madeBy: 'key:kp_sandbox_12345678', detail: null, requestId: null } as const
  return { partnerId: wallet.partnerId, at: now, environment: 'sandbox', action, changes, ...rest } as const
}
