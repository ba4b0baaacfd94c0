// Activity entries are written in batches and read newest first. Old entries that changed nothing are deleted.
import { expect, test } from '@jest/globals'
import { type ActivityEntry, latestActivity, pruneActivity, recordActivity } from '../../../db/controls/activity'
import { aPartner, at } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'

const db = useDatabase(5)

function anEntry(partnerId: string, fields: Partial<ActivityEntry> = {}): ActivityEntry {
  return {
    partnerId,
    at,
    environment: 'sandbox',
    action: 'payout.list',
    changes: 'nothing',
    status: 200,
    madeBy: 'key:kp_sandbox_00000000',
    detail: null,
    requestId: null,
    ...fields,
  }
}

const seconds = (count: number) => new Date(at.getTime() + count * 1_000)

test('entries are returned as written, newest first, and the last inserted first if their times are equal', async () => {
  const { id } = await aPartner(db)
  const first = anEntry(id, { at: seconds(1) })
  const same = anEntry(id, { at: seconds(1), action: 'quote.create', requestId: 'r-1' })
  const change = anEntry(id, {
    at: seconds(2),
    environment: null,
    action: 'key.revoke',
    changes: 'something',
    status: null,
    madeBy: 'ada@acme.test',
    detail: 'kp_live_00000000, "quoted", {braces}, \\ and NULL',
  })

  await recordActivity(db, [change, first, same])

  const list = await latestActivity(db, id, 200)
  expect(list.map(({ id: _id, ...entry }) => entry)).toEqual([change, same, first])
})

test('a list contains only the partner’s own entries, up to the limit, and an empty batch writes nothing', async () => {
  const one = await aPartner(db)
  const other = await aPartner(db)
  await recordActivity(
    db,
    Array.from({ length: 205 }, (_, index) => anEntry(one.id, { at: seconds(index) })),
  )
  await recordActivity(db, [anEntry(other.id)])
  await recordActivity(db, [])

  const list = await latestActivity(db, one.id, 200)

  expect(list).toHaveLength(200)
  expect(list[0]?.at).toEqual(seconds(204))
  expect(await latestActivity(db, other.id, 200)).toHaveLength(1)
})

test('the security filter finds changes to access, but no actions that a caller can repeat without limit', async () => {
  const { id } = await aPartner(db)
  const change = (action: string, detail: string | null = null) => anEntry(id, { action, detail, changes: 'something' })
  const security = [
    change('key.create'),
    change('key.revoke'),
    change('member.update', 'grace@acme.test as admin'),
    change('login.verify'),
    change('session.end_all'),
    change('partner.suspend'),
    change('verification.start'),
    change('payout.confirm'),
    change('account.update', 'name, billing_email'),
    change('account.update', 'contact_email'),
  ]
  const others = [
    change('account.update', 'brand_color'),
    change('account.update'),
    change('payout.create'),
    change('wallet.credit'),
    change('keyboard.create'),
    anEntry(id, { action: 'key.list' }),
    anEntry(id, { action: 'key.create', status: 422 }),
  ]
  await recordActivity(db, [...security, ...others])

  const list = await latestActivity(db, id, 200, { filter: { kind: 'security', environment: 'both' } })

  expect(list.map(({ id: _id, ...entry }) => entry)).toEqual(security.toReversed())
})

test('pruning deletes the oldest reads up to its limit, and never deletes a change', async () => {
  const { id } = await aPartner(db)
  const old = (count: number) => new Date(Date.UTC(2020, 0, count))
  await recordActivity(db, [
    anEntry(id, { at: old(1) }),
    anEntry(id, { at: old(2) }),
    anEntry(id, { at: old(3) }),
    anEntry(id, { at: old(1), changes: 'something' }),
    anEntry(id, { at: old(10) }),
  ])

  const tenDays = { before: old(10), readsBefore: old(10) }
  expect(await pruneActivity(db, { ...tenDays, limit: 2 })).toBe(2)
  expect((await latestActivity(db, id, 200)).map((row) => row.at)).toEqual([old(10), old(3), old(1)])
  expect(await pruneActivity(db, { ...tenDays, limit: 100 })).toBe(1)
  expect(await pruneActivity(db, { ...tenDays, limit: 100 })).toBe(0)
  const kept = (await latestActivity(db, id, 200)).map(({ at, changes }) => [at, changes])
  expect(kept).toEqual([
    [old(10), 'nothing'],
    [old(1), 'something'],
  ])
})

test('concurrent pruning runs count each deleted row once', async () => {
  const { id } = await aPartner(db)
  const entries = Array.from({ length: 60 }, () => anEntry(id, { at: new Date(Date.UTC(2019, 0, 1)) }))
  await recordActivity(db, entries)
  const before = new Date(Date.UTC(2019, 0, 2))
  const old = { before, readsBefore: before, limit: 10 }

  const pruned = await Promise.all(Array.from({ length: 5 }, () => pruneActivity(db, old)))

  const left = (await latestActivity(db, id, 200)).length
  expect(pruned.reduce((sum, count) => sum + count, left)).toBe(60)
})
