// The business as the bank's customer: each activity stores the bank's answer immediately, and can be repeated at
// any point.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { RailUnavailable } from '../../../rail/rail'
import { changePartner } from '../../support/api/fixtures'
import { lost, useVerification } from './a-verification'

const stage = useVerification()
const { begin, check, clock, customers, db, logged, notices, now } = stage
const { open, partner, rail, redirectUrl, say, wallet, withRail } = stage

describe('opening the customer', () => {
  test('stores the bank’s customer ID, the verification status and the applicant’s link', async () => {
    expect(await open()).toEqual({ status: 'pending', ready: false })

    const [customer] = await customers()
    expect(await wallet()).toMatchObject({ customer_ref: customer.customer_id, verification_ref: customer.id })
    expect(await now()).toMatchObject({
      verificationStatus: 'pending',
      providerStatus: 'not_started',
      screening: 'in_review',
      continueUrl: customer.kyc_link,
      termsUrl: customer.tos_link,
      liveOpenedAt: null,
    })
    expect(new URL(customer.kyc_link).searchParams.get('redirect_uri')).toBe(redirectUrl)
    expect(await notices()).toEqual([])
  })

  test('creates one customer, even when it runs twice concurrently', async () => {
    await Promise.all([open(), open()])
    await open()

    expect(await customers()).toHaveLength(1)
  })

  test('finds the same customer after a crash between the bank’s answer and our commit', async () => {
    const killed = withRail({ openCustomer: (customer) => rail.openCustomer(customer).then(lost) })
    await expect(killed.openLiveCustomer({ partnerId: partner.id })).rejects.toThrow(RailUnavailable)
    expect(await now()).toMatchObject({ verificationStatus: 'pending', continueUrl: null })

    expect(await open()).toEqual({ status: 'pending', ready: false })
    expect(await customers()).toHaveLength(1)
  })

  test('keeps the customer stored first if two runs get different ones from the bank', async () => {
    const late = withRail({
      openCustomer: async (customer) => {
        await open()
        return rail.openCustomer({ ...customer, email: `other-${customer.email}`, key: randomUUID() })
      },
    })

    await late.openLiveCustomer({ partnerId: partner.id })

    const [first] = await customers()
    expect(await wallet()).toMatchObject({ verification_ref: first.id, customer_ref: first.customer_id })
    expect(await now()).toMatchObject({ continueUrl: first.kyc_link, termsUrl: first.tos_link })
  })

  test('fails with a retryable error and changes nothing when the bank does not answer', async () => {
    const unavailable = withRail({ openCustomer: () => Promise.reject(new RailUnavailable('open customer')) })

    await expect(unavailable.openLiveCustomer({ partnerId: partner.id })).rejects.toThrow(RailUnavailable)
    expect(await now()).toEqual(partner)
  })
})

describe('the verification status', () => {
  test('moves through action required, in review and ready, and admins are emailed when they must act', async () => {
    await open()
    await say({ status: 'incomplete' })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    await say({ status: 'under_review' })
    expect(await check()).toEqual({ status: 'in_review', ready: false })
    await say({ status: 'approved' })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    expect(await now()).toMatchObject({ termsUrl: expect.stringContaining('/terms/'), screening: 'clear' })
    await say({ status: 'approved', tos_status: 'approved' })
    expect(await check()).toEqual({ status: 'in_review', ready: true })

    expect(await now()).toMatchObject({ termsUrl: null, liveOpenedAt: null })
    expect(await notices()).toEqual(['action_required', 'action_required'])
  })

  test('is in review while an approved business cannot pay in GBP, and no wallet is created', async () => {
    await open()
    await say({ status: 'approved', tos_status: 'approved' })
    const noPounds = withRail({ verification: async (ref) => ({ ...(await rail.verification(ref)), paysGbp: false }) })

    expect(await noPounds.connectLiveWallet({ partnerId: partner.id })).toEqual({ status: 'in_review', ready: false })
    expect(await wallet()).toMatchObject({ wallet_ref: null })
  })

  test('is unchanged by an unknown bank status, which is stored and logged once', async () => {
    await open()
    const odd = withRail({
      verification: async (ref) => ({ ...(await rail.verification(ref)), providerStatus: 'levitating' }),
    })

    await odd.checkLiveCustomer({ partnerId: partner.id })
    expect(await odd.checkLiveCustomer({ partnerId: partner.id })).toEqual({ status: 'pending', ready: false })

    expect(await now()).toMatchObject({ verificationStatus: 'pending', providerStatus: 'levitating' })
    expect(logged).toEqual([{ partner_id: partner.id, state: 'levitating' }])
  })

  test('includes the reasons for a refusal, and a refusal after a retry counts as new', async () => {
    await open()
    await say({ status: 'rejected', reason: 'The company could not be found.', developer_reason: 'secret' })
    expect(await check()).toEqual({ status: 'rejected', ready: false })
    expect(await now()).toMatchObject({
      verificationReasons: ['The company could not be found.'],
      screening: 'blocked',
    })

    expect(await begin()).toMatchObject({ outcome: 'begun' })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    expect(await now()).toMatchObject({ continueUrl: expect.stringContaining('/kyc/') })
    await say({ status: 'rejected', reason: 'An owner could not be verified.' })
    expect(await check()).toEqual({ status: 'rejected', ready: false })

    expect(await notices()).toEqual(['rejected', 'rejected'])
  })

  test('becomes rejected again after a second refusal, even if it lists as many reasons as the first', async () => {
    await open()
    const refusing = (at: string) =>
      withRail({
        verification: async (ref) => ({
          ...(await rail.verification(ref)),
          providerStatus: 'rejected',
          reasons: [{ text: 'The company could not be found.', at }],
        }),
      })
    const first = refusing('2026-11-01T10:00:00Z')
    await first.checkLiveCustomer({ partnerId: partner.id })
    await begin()
    expect(await first.checkLiveCustomer({ partnerId: partner.id })).toMatchObject({ status: 'action_required' })

    const second = refusing('2026-11-02T10:00:00Z')
    expect(await second.checkLiveCustomer({ partnerId: partner.id })).toMatchObject({ status: 'rejected' })
  })

  test('changes once if two requests start the verification concurrently', async () => {
    await changePartner({ db, clock }, partner, { verificationStatus: 'not_started' })

    const begun = await Promise.all([begin(), begin()])

    expect(begun.map(({ outcome }) => outcome).toSorted()).toEqual(['begun', 'invalid_state'])
  })
})
