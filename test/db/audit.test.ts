// What was booked, charged and changed is chained in order, and whoever touches a row or a link afterwards is named (check 45).
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { recordActivity } from '../../db/activity'
import { sealRows } from '../../db/audit-seal'
import { verifyAudit } from '../../db/audit-verify'
import { addCharge } from '../../db/charges'
import { type Db, openDatabase, type Queryable } from '../../db/database'
import { postSet } from '../../db/ledger'
import type { WalletRow } from '../../db/wallets'
import { topUpPostings } from '../../domain/ledger'
import { createDatabase, type TestDatabase } from '../setup/database'
import { aWallet } from './a-partner'
import { behindOurBack } from './behind-our-back'
import { sealAll } from './seal-all'

let database: TestDatabase
let db: Db
let wallet: WalletRow
const now = new Date('2026-11-15T10:00:00.123Z')
const nothingLeft = { ledger_sets: 0, ledger_entries: 0, charges: 0, activity: 0 }

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
  expect(links.slice(0, 3).map(({ table_name }) => table_name)).toEqual([
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
  await sealAll(db, now)
  await someRows(2)

  const tomorrow = new Date(now.getTime() + 86_400_000)
  await behindOurBack(db, `UPDATE audit_chain SET sealed_at = now() - interval '1 hour'`)
  expect(await sealAll(db, tomorrow)).toBe(10)
  expect(await verifyAudit(db)).toMatchObject({ links: 20n, fault: null, unsealed: nothingLeft })
})

test('small batches, and several sealers at once, make the same unbroken chain', async () => {
  await someRows(5)

  for (let sealed = 0; sealed < 25; ) {
    const counts = await Promise.all([sealSome(2), sealSome(2), sealSome(2)])
    sealed += counts.reduce((sum, count) => sum + count, 0)
  }

  expect(await verifyAudit(db)).toMatchObject({ links: 25n, fault: null, unsealed: nothingLeft })
})

test('nothing is sealed that is younger than a transaction which still runs, so that nothing comes in before it later', async () => {
  let commit = () => {}
  const wait = new Promise<void>((resolve) => {
    commit = resolve
  })
  let isWritten = () => {}
  const written = new Promise<void>((resolve) => {
    isWritten = resolve
  })
  const slow = db.transaction(async (tx) => {
    await recordActivity(tx, [anEntry('slow.change')])
    isWritten()
    await wait
  })
  await written
  await recordActivity(db, [anEntry('quick.change')])

  const early = await sealSome(1_000)
  commit()
  await slow
  const late = await sealAll(db, now)

  expect([early, late]).toEqual([0, 2])
  const rows: { action: string }[] = await db.dataSource.query(
    `SELECT action FROM audit_chain c JOIN activity a ON a.id::text = c.row_id ORDER BY c.sequence`,
  )
  expect(rows.map(({ action }) => action)).toEqual(['slow.change', 'quick.change'])
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

  test('who writes into a link what is no id', async () => {
    const link = await secondOf('charges')
    await behindOurBack(db, `UPDATE audit_chain SET row_id = 'nothing' WHERE sequence = $1`, [link.sequence])

    expect((await verifyAudit(db)).fault).toEqual(faultAt('row_missing', { ...link, row_id: 'nothing' }))
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

async function secondOf(table: string): Promise<Link> {
  const link = (await chain()).filter(({ table_name }) => table_name === table)[1]
  if (link === undefined) throw new Error('there must be two')
  return link
}

function faultAt(what: string, link: Link | undefined) {
  return { what, sequence: BigInt(link?.sequence ?? 0), table: link?.table_name, rowId: link?.row_id }
}

function sealSome(limit: number): Promise<number> {
  return db.transaction((tx) => sealRows(tx, { at: now, limit }))
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
