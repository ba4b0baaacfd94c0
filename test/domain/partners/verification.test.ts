// The meaning of the bank's verification statuses, and when a partner can start verification.
import { describe, expect, test } from '@jest/globals'
import { type VerificationStatus, verificationStatuses } from '../../../domain/partners/partner'
import {
  type BankVerification,
  canStart,
  isReady,
  markOf,
  type OurVerification,
  verificationUpdate,
} from '../../../domain/partners/verification'

const bank: BankVerification = { providerStatus: 'not_started', termsAccepted: true, paysGbp: true, reasons: [] }
const a = { text: 'a', at: '2026-11-01T10:00:00Z' }
const b = { text: 'b', at: '2026-11-02T10:00:00Z' }
const aLater = { ...a, at: b.at }
const aOfNoTime = { ...a, at: null }
const ours: OurVerification = { status: 'pending', reasonsKnown: null, wallet: 'absent' }

describe('the bank’s status', () => {
  test.each<[string, Partial<BankVerification>, Partial<OurVerification>, VerificationStatus, string]>([
    ['not_started', {}, {}, 'pending', 'in_review'],
    ['not_started', { termsAccepted: false, paysGbp: false }, {}, 'pending', 'in_review'],
    ['incomplete', {}, {}, 'action_required', 'in_review'],
    ['awaiting_questionnaire', {}, {}, 'action_required', 'in_review'],
    ['awaiting_ubo', {}, {}, 'action_required', 'in_review'],
    ['under_review', {}, {}, 'in_review', 'in_review'],
    ['approved', { termsAccepted: false }, {}, 'action_required', 'clear'],
    ['approved', { termsAccepted: false, paysGbp: false }, {}, 'action_required', 'clear'],
    ['approved', { paysGbp: false }, {}, 'in_review', 'clear'],
    ['approved', { paysGbp: false }, { wallet: 'connected' }, 'in_review', 'clear'],
    ['approved', {}, {}, 'in_review', 'clear'],
    ['approved', {}, { wallet: 'connected' }, 'approved', 'clear'],
    ['approved', { termsAccepted: false }, { wallet: 'connected' }, 'action_required', 'clear'],
    ['rejected', { reasons: [a] }, {}, 'rejected', 'blocked'],
    ['rejected', {}, {}, 'rejected', 'blocked'],
    ['rejected', { reasons: [a] }, { reasonsKnown: [markOf(a)] }, 'action_required', 'blocked'],
    ['rejected', { reasons: [a] }, { reasonsKnown: [markOf(b), markOf(a)] }, 'action_required', 'blocked'],
    ['rejected', { reasons: [aOfNoTime] }, { reasonsKnown: [markOf(aOfNoTime)] }, 'action_required', 'blocked'],
    ['rejected', {}, { reasonsKnown: [] }, 'action_required', 'blocked'],
    ['rejected', { reasons: [a, b] }, { reasonsKnown: [markOf(a)] }, 'rejected', 'blocked'],
    ['rejected', { reasons: [b] }, { reasonsKnown: [markOf(a)] }, 'rejected', 'blocked'],
    ['rejected', { reasons: [aLater] }, { reasonsKnown: [markOf(a)] }, 'rejected', 'blocked'],
    ['rejected', { reasons: [a] }, { reasonsKnown: [] }, 'rejected', 'blocked'],
    ['paused', {}, { status: 'approved', wallet: 'connected' }, 'in_review', 'blocked'],
    ['offboarded', {}, { status: 'approved', wallet: 'connected' }, 'rejected', 'blocked'],
    ['offboarded', {}, { reasonsKnown: [] }, 'rejected', 'blocked'],
  ])(
    '%s with %j, for a partner with %j, means %s with screening %s',
    (providerStatus, bankFields, known, status, screening) => {
      const update = verificationUpdate({ ...bank, providerStatus, ...bankFields }, { ...ours, ...known })

      expect(update).toMatchObject({ status, screening, bankStatus: 'known' })
    },
  )

  test.each(verificationStatuses)('leaves %s unchanged if it is unknown', (status) => {
    const update = verificationUpdate({ ...bank, providerStatus: 'levitating' }, { ...ours, status })

    expect(update).toMatchObject({ status, screening: 'in_review', bankStatus: 'unknown' })
  })

  test.each(['toString', '__proto__', '', 'APPROVED', 'approved '])('%j is unknown', (providerStatus) => {
    expect(verificationUpdate({ ...bank, providerStatus }, ours).bankStatus).toBe('unknown')
  })
})

test('after a retry and a status change, another rejection counts as new, whatever its reasons', () => {
  const tried = { ...ours, reasonsKnown: [markOf(a)] }
  const moved = verificationUpdate({ ...bank, providerStatus: 'under_review', reasons: [a] }, tried)
  const { status, reasonsKnown } = moved

  expect(reasonsKnown).toBeNull()
  const again = verificationUpdate(
    { ...bank, providerStatus: 'rejected', reasons: [a] },
    { ...tried, status, reasonsKnown },
  )
  expect(again.status).toBe('rejected')
})

test('while the bank’s rejection is unchanged, its reasons do not count as new', () => {
  const reasonsKnown = [markOf(a)]
  const update = verificationUpdate({ ...bank, providerStatus: 'rejected', reasons: [a] }, { ...ours, reasonsKnown })

  expect(update.reasonsKnown).toEqual(reasonsKnown)
})

test('a business is ready only with approval, accepted terms and GBP payouts', () => {
  const all = { ...bank, providerStatus: 'approved' }

  expect(isReady(all)).toBe(true)
  expect([{ ...all, termsAccepted: false }, { ...all, paysGbp: false }, bank].filter(isReady)).toEqual([])
})

test('a partner can start verification once, and again after a rejection, unless the bank has offboarded it', () => {
  const may = verificationStatuses.filter((status) => canStart(status, 'rejected'))

  expect(may).toEqual(['not_started', 'rejected'])
  expect(canStart('rejected', 'offboarded')).toBe(false)
  expect(canStart('not_started', null)).toBe(true)
})
