// A verification that the bank refuses, or whose customer belongs to another partner, ends with an outcome
// that operators can act on.
import { beforeEach, describe, expect, test } from '@jest/globals'
import { beginVerification } from '../../../db/partners/verification'
import { openingRefused } from '../../../domain/partners/verification'
import type { CustomerToOpen } from '../../../rail/rail'
import { aPartner, changePartner } from '../../support/api/fixtures'
import { opened } from '../../support/bank/a-connected-partner'
import { until } from '../../support/until'
import { useVerification } from './a-verification'

const stage = useVerification()
const { begin, charges, check, clock, connect, customers, db, logged } = stage
const { notices, now, open, partner, rail, say, wallet, withRail } = stage

const isRefused = { status: 'rejected', ready: false }
const nothing = { verification_ref: null, customer_ref: null, wallet_ref: null }

describe('an email that is already registered at the bank', () => {
  let asked: CustomerToOpen[]
  const listening = () =>
    withRail({
      openCustomer: (customer) => {
        asked.push(customer)
        return rail.openCustomer(customer)
      },
    })

  beforeEach(async () => {
    asked = []
    const { id: other } = await aPartner(
      { db, clock },
      { verificationStatus: 'not_started', contactEmail: partner.contactEmail },
    )
    await db.transaction((tx) => beginVerification(tx, other, clock.now()))
    await withRail({}).openLiveCustomer({ partnerId: other })
  })

  test('is refused with a reason, a notice and an error for operators, and the other customer’s link is not adopted', async () => {
    expect(await open()).toEqual(isRefused)

    expect(await wallet()).toMatchObject(nothing)
    expect(await now()).toMatchObject({
      verificationStatus: 'rejected',
      providerStatus: null,
      verificationReasons: [openingRefused],
      screening: 'in_review',
      continueUrl: null,
      termsUrl: null,
    })
    expect(await notices()).toEqual(['rejected'])
    expect(logged).toEqual([{ partner_id: partner.id, code: 'duplicate_record' }])
  })

  test('stays refused, without another request to the bank, until an admin restarts verification', async () => {
    await listening().openLiveCustomer({ partnerId: partner.id })

    expect(await listening().checkLiveCustomer({ partnerId: partner.id })).toEqual(isRefused)

    expect(asked).toHaveLength(1)
    expect(await notices()).toEqual(['rejected'])
  })

  test('can be tried again with a new idempotency key, and then works with another email', async () => {
    await listening().openLiveCustomer({ partnerId: partner.id })
    expect(await begin()).toMatchObject({
      outcome: 'begun',
      partner: { verificationStatus: 'pending', verificationReasons: [] },
    })
    expect(await listening().openLiveCustomer({ partnerId: partner.id })).toEqual(isRefused)
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2)

    await begin()
    const contactEmail = `new-${partner.contactEmail}`
    await changePartner({ db, clock }, partner, { contactEmail })
    expect(await open()).toEqual({ status: 'pending', ready: false })

    const [known] = await customers()
    expect((await wallet())['verification_ref']).not.toBe(known.id)
    expect(await now()).toMatchObject({ continueUrl: expect.stringContaining('/kyc/'), verificationReasons: [] })
  })

  test('changes nothing if the refusal arrives after the customer was opened', async () => {
    const late = withRail({
      openCustomer: async () => {
        await changePartner({ db, clock }, partner, { contactEmail: `late-${partner.contactEmail}` })
        await open()
        return { outcome: 'refused', code: 'duplicate_record' }
      },
    })

    expect(await late.openLiveCustomer({ partnerId: partner.id })).toEqual({ status: 'pending', ready: false })
    expect(await notices()).toEqual([])
  })
})

describe('a customer of another partner at the bank', () => {
  let theirs: { verificationRef: string; customerRef: string | null }

  beforeEach(async () => {
    const { id: other } = await aPartner({ db, clock }, { verificationStatus: 'not_started' })
    await db.transaction((tx) => beginVerification(tx, other, clock.now()))
    const listening = withRail({
      openCustomer: async (customer) => {
        const answer = await rail.openCustomer(customer)
        theirs = opened(answer)
        return answer
      },
    })
    await listening.openLiveCustomer({ partnerId: other })
    await db.dataSource.query(
      `UPDATE wallets SET wallet_ref = 'w-' || id::text WHERE partner_id = $1 AND environment = 'live'`,
      [other],
    )
  })

  test('is not opened for a second partner, but refused and reported once', async () => {
    const sharing = withRail({
      openCustomer: async () => ({ outcome: 'opened', verification: await rail.verification(theirs.verificationRef) }),
    })

    expect(await sharing.openLiveCustomer({ partnerId: partner.id })).toEqual(isRefused)

    expect(await wallet()).toMatchObject(nothing)
    expect(await now()).toMatchObject({ verificationReasons: [openingRefused], continueUrl: null })
    expect(logged).toEqual([{ partner_id: partner.id, code: 'belongs_to_another_partner' }])
  })

  test('is also refused if the bank names the customer only later', async () => {
    const nameless = withRail({
      openCustomer: async (customer) => ({
        outcome: 'opened',
        verification: { ...opened(await rail.openCustomer(customer)), customerRef: null },
      }),
    })
    await nameless.openLiveCustomer({ partnerId: partner.id })
    const naming = withRail({
      verification: async (ref) => ({ ...(await rail.verification(ref)), customerRef: theirs.customerRef }),
    })

    expect(await naming.checkLiveCustomer({ partnerId: partner.id })).toEqual(isRefused)

    expect(await wallet()).toMatchObject(nothing)
  })

  test('cannot have its wallet connected to a second partner, and nothing is charged', async () => {
    await open()
    await say({ status: 'approved', tos_status: 'approved' })
    const [{ ref }] = await db.dataSource.query(`SELECT wallet_ref AS ref FROM wallets WHERE customer_ref = $1`, [
      theirs.customerRef,
    ])
    const ways = { fundingRef: 'f', sortCode: '040004', accountNumber: '10234567', holderName: 'Acme', bankName: 'B' }
    const sharing = withRail({
      wallets: async () => [{ walletRef: ref, chain: 'base', address: null }],
      depositAddress: async () => '0x0',
      bankFunding: async () => ways,
    })

    expect(await sharing.connectLiveWallet({ partnerId: partner.id })).toEqual(isRefused)

    expect(await wallet()).toMatchObject({ ...nothing, funding_ref: null, address: null })
    expect(await now()).toMatchObject({ verificationStatus: 'rejected', liveOpenedAt: null })
    expect(await charges()).toEqual([])
  })
})

describe('opening the customer at the bank', () => {
  test('sends nothing to the bank if verification was not started', async () => {
    await changePartner({ db, clock }, partner, { verificationStatus: 'not_started' })

    expect(await open()).toEqual({ status: 'not_started', ready: false })
    expect(await check()).toEqual({ status: 'not_started', ready: false })
    expect(await connect()).toEqual({ status: 'not_started', ready: false })

    expect(await customers()).toEqual([])
  })

  test('waits for the commit if the workflow starts before the request has committed', async () => {
    await changePartner({ db, clock }, partner, { verificationStatus: 'not_started' })

    const opening = await db.transaction(async (tx) => {
      await beginVerification(tx, partner.id, clock.now())
      const openingRun = open()
      await until('it waits for the commit', hasLockWaiter)
      return { standing: openingRun }
    })

    expect(await opening.standing).toEqual({ status: 'pending', ready: false })
  })

  test('happens at the next poll if verification is started while the workflow is running', async () => {
    expect(await check()).toEqual({ status: 'pending', ready: false })
    expect(await customers()).toHaveLength(1)
  })
})

async function hasLockWaiter(): Promise<boolean> {
  const [row] = await db.dataSource.query(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return row.waiting > 0
}
