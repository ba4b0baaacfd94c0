// Partners, their members, prices and wallets, as they are stored and read back.
import { expect, test } from '@jest/globals'
import { changePrices, copyStandardPrices, findPrices, listPrices } from '../../../db/invoices/price-lists'
import { insertMember, listMembers } from '../../../db/partners/members'
import { findPartnerById, findPartnerBySlug, insertPartner, updatePartner } from '../../../db/partners/partners'
import { findWallet, openWallet } from '../../../db/wallets/wallets'
import { accountKinds } from '../../../domain/wallets/ledger'
import { aPartner, at, aWallet } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'
import { standardPrices } from '../../support/prices'

const db = useDatabase(5)

const later = new Date(at.getTime() + 60_000)

test('a new partner is active, not verified, can pay 1.00 to 20000.00 in GB, and is found by ID and slug', async () => {
  const partner = await db.transaction((tx) =>
    insertPartner(tx, { slug: 'acme', name: 'Acme Ltd', contactEmail: 'ada@acme.test', billingEmail: null, at }),
  )

  expect(partner).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    slug: 'acme',
    name: 'Acme Ltd',
    requestedName: null,
    status: 'active',
    logoUrl: null,
    brandColor: null,
    contactEmail: 'ada@acme.test',
    billingEmail: null,
    verificationStatus: 'not_started',
    providerStatus: null,
    continueUrl: null,
    termsUrl: null,
    screening: 'in_review',
    enabledCountries: ['GB'],
    minPayoutPence: 100n,
    maxPayoutPence: 2_000_000n,
    rateLimitSandbox: null,
    rateLimitLive: null,
    verificationReasons: [],
    verificationReasonMarks: [],
    verificationReasonsKnown: null,
    verificationTries: 0,
    verificationAwaitedSince: null,
    mutedMails: [],
    lowBalanceMicroUsdc: null,
    liveOpenedAt: null,
    closedAt: null,
    readableUntil: null,
    billingAddress: null,
    billedUntil: null,
    createdAt: at,
    updatedAt: at,
  })
  if (partner === 'slug_taken') throw new Error('slug taken')
  expect(await findPartnerById(db, partner.id)).toEqual(partner)
  expect(await findPartnerBySlug(db, 'acme')).toEqual(partner)
  expect(await findPartnerBySlug(db, 'nobody')).toBeNull()
})

test('only one of ten concurrent requests for the same slug succeeds', async () => {
  const results = await Promise.all(
    Array.from({ length: 10 }, () =>
      db.transaction((tx) =>
        insertPartner(tx, { slug: 'wanted', name: 'Wanted', contactEmail: null, billingEmail: null, at }),
      ),
    ),
  )

  expect(results.filter((result) => result === 'slug_taken')).toHaveLength(9)
})

test('an update changes only the given fields, including those set to null', async () => {
  const before = await aPartner(db, { billingEmail: 'bills@acme.test', rateLimitLive: 10 })
  const changes = { status: 'suspended', billingEmail: null, minPayoutPence: 250n, enabledCountries: [] } as const

  const after = await db.transaction((tx) => updatePartner(tx, before.id, changes, later))

  expect(after).toEqual({ ...before, ...changes, updatedAt: later })
  expect(await findPartnerById(db, before.id)).toEqual(after)
})

test('concurrent updates do not undo each other', async () => {
  const { id } = await aPartner(db)

  await Promise.all([
    db.transaction((tx) => updatePartner(tx, id, { name: 'New name' }, later)),
    db.transaction((tx) => updatePartner(tx, id, { status: 'suspended' }, later)),
    db.transaction((tx) => updatePartner(tx, id, { maxPayoutPence: 500_000n }, later)),
  ])

  const partner = await findPartnerById(db, id)
  expect(partner).toMatchObject({ name: 'New name', status: 'suspended', maxPayoutPence: 500_000n })
})

test.each([
  ['a minimum below 1.00', { minPayoutPence: 99n }],
  ['a maximum above 20000.00', { maxPayoutPence: 2_000_001n }],
  ['a minimum above the maximum', { minPayoutPence: 300n, maxPayoutPence: 299n }],
])('the database refuses %s', async (_what, changes) => {
  const { id } = await aPartner(db)

  const update = db.transaction((tx) => updatePartner(tx, id, changes, later))

  await expect(update).rejects.toMatchObject({ code: '23514', constraint: 'partners_limits_check' })
})

test('a member’s email is stored in lower case and is unique within a partner', async () => {
  const { id: partnerId } = await aPartner(db)
  const member = { partnerId, name: null, role: 'admin', at } as const

  const ada = await db.transaction((tx) => insertMember(tx, { ...member, email: 'Ada@Acme.test' }))
  const again = await db.transaction((tx) => insertMember(tx, { ...member, email: 'ada@acme.test' }))
  await db.transaction((tx) => insertMember(tx, { ...member, email: 'bob@acme.test', role: 'viewer', at: later }))

  expect(ada).toMatchObject({ email: 'ada@acme.test', role: 'admin', lastLoginAt: null, createdAt: at })
  expect(again).toBe('already_member')
  expect((await listMembers(db, partnerId)).map(({ email, role }) => [email, role])).toEqual([
    ['ada@acme.test', 'admin'],
    ['bob@acme.test', 'viewer'],
  ])
  expect(await listMembers(db, (await aPartner(db)).id)).toEqual([])
})

test('a new partner gets a copy of the standard prices', async () => {
  const { id: partnerId } = await aPartner(db)

  await db.transaction((tx) => copyStandardPrices(tx, { partnerId, at }))

  expect(await findPrices(db, partnerId, later)).toEqual(standardPrices)
})

test('a partner has the prices that are valid at the given time', async () => {
  const { id: partnerId } = await aPartner(db)
  await db.transaction((tx) => copyStandardPrices(tx, { partnerId, at }))

  const changed = await raiseTo(120n, partnerId, later)

  expect(changed).toEqual({ outcome: 'changed' })

  expect((await findPrices(db, partnerId, new Date(later.getTime() - 1))).payoutFixedPence).toBe(99n)
  expect((await findPrices(db, partnerId, later)).payoutFixedPence).toBe(120n)
  await expect(findPrices(db, partnerId, new Date(at.getTime() - 1))).rejects.toThrow('must have a price list')
})

test('a price change can start neither before a planned change nor in the past', async () => {
  const { id: partnerId } = await aPartner(db)
  await db.transaction((tx) => copyStandardPrices(tx, { partnerId, at }))
  await raiseTo(120n, partnerId, later)

  expect(await raiseTo(130n, partnerId, new Date(later.getTime() - 1))).toEqual({ outcome: 'planned', from: later })
  await expect(raiseTo(130n, partnerId, new Date(at.getTime() - 1))).rejects.toThrow('must not start in the past')
  expect((await listPrices(db, partnerId)).map(({ payoutFixedPence }) => payoutFixedPence)).toEqual([99n, 120n])
})

test.each([
  'UPDATE price_lists SET payout_fixed_pence = 1 WHERE partner_id = $1',
  'UPDATE price_lists SET valid_from = now() WHERE partner_id = $1',
  "UPDATE price_lists SET valid_until = valid_until + interval '1 day' WHERE partner_id = $1 AND valid_until IS NOT NULL",
  'UPDATE price_lists SET valid_until = NULL WHERE partner_id = $1 AND valid_until IS NOT NULL',
  'DELETE FROM price_lists WHERE partner_id = $1',
])('the database refuses to change prices that are already valid: %s', async (text) => {
  const { id: partnerId } = await aPartner(db)
  const [opened, raised] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')]
  await db.transaction((tx) => copyStandardPrices(tx, { partnerId, at: opened }))
  const change = { partnerId, changes: { payoutFixedPence: 120n }, from: raised, at: raised }
  await db.transaction((tx) => changePrices(tx, change))

  await expect(db.dataSource.query(text, [partnerId])).rejects.toMatchObject({ code: '23001' })
})

function raiseTo(payoutFixedPence: bigint, partnerId: string, from: Date) {
  return db.transaction((tx) => changePrices(tx, { partnerId, changes: { payoutFixedPence }, from, at }))
}

test('there can be only one open-ended price list per partner, and one open-ended standard list', async () => {
  const { id: partnerId } = await aPartner(db)
  await db.transaction((tx) => copyStandardPrices(tx, { partnerId, at }))
  const second = db.transaction((tx) => copyStandardPrices(tx, { partnerId, at: later }))

  await expect(second).rejects.toMatchObject({ constraint: 'price_lists_open_unique' })
  const standard = db.sql`INSERT INTO price_lists SELECT ${partnerId}, NULL, now(), NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1`
  await expect(standard).rejects.toMatchObject({ constraint: 'price_lists_open_unique' })
})

test('a new wallet is empty and has every kind of ledger account', async () => {
  const wallet = await aWallet(db)

  expect(wallet).toEqual({
    id: expect.any(String),
    partnerId: wallet.partnerId,
    environment: 'sandbox',
    rail: 'simulated',
    chain: 'base',
    address: null,
    customerRef: null,
    walletRef: null,
    balanceMicroUsdc: 0n,
  })
  expect(await findWallet(db, wallet.partnerId, 'sandbox')).toEqual(wallet)
  expect(await findWallet(db, wallet.partnerId, 'live')).toBeNull()
  const accounts = await db.sql<{ kind: string }>`SELECT kind FROM ledger_accounts WHERE wallet_id = ${wallet.id}`
  expect(accounts.map(({ kind }) => kind).toSorted()).toEqual(accountKinds.toSorted())
})

test('a live wallet cannot use the simulated rail, and a sandbox wallet cannot use the live rail', async () => {
  const { id: partnerId } = await aPartner(db)
  const open = (environment: 'sandbox' | 'live', rail: 'simulated' | 'provider_production') =>
    db.transaction((tx) => openWallet(tx, { partnerId, environment, rail, at }))

  await expect(open('live', 'simulated')).rejects.toMatchObject({ constraint: 'wallets_rail_check' })
  await expect(open('sandbox', 'provider_production')).rejects.toMatchObject({ constraint: 'wallets_rail_check' })
})
