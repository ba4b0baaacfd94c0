// Opening a partner creates all of its initial rows in one transaction, or none.
import { expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { findPrices } from '../../../db/invoices/price-lists'
import { listMembers } from '../../../db/partners/members'
import { openPartner } from '../../../db/partners/open'
import { findPartnerBySlug } from '../../../db/partners/partners'
import { findWallet } from '../../../db/wallets/wallets'
import { simulatedFloatMicroUsdc } from '../../../domain/wallets/ledger'
import { useDatabase } from '../../support/db/database'

const at = new Date('2026-11-15T12:00:00.000Z')
const clock = { now: () => at }

const db = useDatabase(5)

function open(slug: string) {
  return openPartner({ db, clock }, { name: 'Acme Ltd', slug, email: 'Ada@acme.test', createdBy: 'ops:grace' })
}

async function opened(slug: string) {
  const result = await open(slug)
  if (result.outcome !== 'opened') throw new Error(result.outcome)
  return result.partner
}

function rowCounts(): Promise<unknown[]> {
  return db.sql`SELECT (SELECT count(*) FROM partners) AS partners, (SELECT count(*) FROM price_lists) AS lists,
    (SELECT count(*) FROM members) AS members, (SELECT count(*) FROM wallets) AS wallets,
    (SELECT count(*) FROM ledger_entries) AS entries, (SELECT count(*) FROM activity) AS activity`
}

test('a new partner has prices, a first admin, two wallets, the float, and an activity entry with the actor', async () => {
  const partner = await opened('acme')

  expect(partner).toMatchObject({ slug: 'acme', name: 'Acme Ltd', status: 'active', createdAt: at })
  expect(await findPartnerBySlug(db, 'acme')).toEqual(partner)
  expect(await findPrices(db, partner.id, at)).toMatchObject({ payoutFixedPence: 99n, payoutBasisPoints: 100n })
  expect(await listMembers(db, partner.id)).toMatchObject([{ email: 'ada@acme.test', role: 'admin' }])
  expect(await findWallet(db, partner.id, 'sandbox')).toMatchObject({
    rail: 'simulated',
    balanceMicroUsdc: simulatedFloatMicroUsdc,
  })
  expect(await findWallet(db, partner.id, 'live')).toMatchObject({ rail: 'provider_production', balanceMicroUsdc: 0n })
  expect(await latestActivity(db, partner.id, 200)).toMatchObject([
    { action: 'partner.create', changes: 'something', status: null, madeBy: 'ops:grace', at },
  ])
})

test('opening a partner with a slug that is in use adds no rows', async () => {
  await opened('taken')
  const before = await rowCounts()

  expect(await open('taken')).toEqual({ outcome: 'slug_taken' })

  expect(await rowCounts()).toEqual(before)
})

test('exactly one of ten concurrent openings with the same slug succeeds', async () => {
  const results = await Promise.all(Array.from({ length: 10 }, () => open('wanted')))

  expect(results.filter((result) => result.outcome === 'opened')).toHaveLength(1)
  expect(results.filter((result) => result.outcome === 'slug_taken')).toHaveLength(9)
})

test('opening a partner with an invalid slug adds no rows', async () => {
  const before = await rowCounts()

  await expect(open('Not A Slug')).rejects.toMatchObject({ constraint: 'partners_slug_check' })

  expect(await rowCounts()).toEqual(before)
})
