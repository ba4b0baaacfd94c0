// What each word of the bank means to us, and who may start.
import { describe, expect, test } from '@jest/globals'
import { type VerificationStatus, verificationStatuses } from '../../domain/partner'
import { type BankStanding, canStart, isReady, type OurStanding, standingOf } from '../../domain/verification'

const bank: BankStanding = { providerStatus: 'not_started', termsAccepted: true, paysGbp: true, reasons: [] }
const ours: OurStanding = { status: 'pending', reasonsKnown: null, wallet: 'absent' }

describe('the bank’s word', () => {
  test.each<[string, Partial<BankStanding>, Partial<OurStanding>, VerificationStatus, string]>([
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
    ['rejected', { reasons: ['a'] }, {}, 'rejected', 'blocked'],
    ['rejected', {}, {}, 'rejected', 'blocked'],
    ['rejected', { reasons: ['a'] }, { reasonsKnown: 1 }, 'action_required', 'blocked'],
    ['rejected', {}, { reasonsKnown: 0 }, 'action_required', 'blocked'],
    ['rejected', { reasons: ['a', 'b'] }, { reasonsKnown: 1 }, 'rejected', 'blocked'],
    ['rejected', { reasons: ['a'] }, { reasonsKnown: 0 }, 'rejected', 'blocked'],
    ['paused', {}, { status: 'approved', wallet: 'connected' }, 'in_review', 'blocked'],
    ['offboarded', {}, { status: 'approved', wallet: 'connected' }, 'rejected', 'blocked'],
    ['offboarded', {}, { reasonsKnown: 0 }, 'rejected', 'blocked'],
  ])('%s %j, ours %j: %s, screening %s', (providerStatus, said, known, status, screening) => {
    const standing = standingOf({ ...bank, providerStatus, ...said }, { ...ours, ...known })

    expect(standing).toMatchObject({ status, screening, word: 'known' })
  })

  test.each(verificationStatuses)('that we do not know leaves %s as it is', (status) => {
    const standing = standingOf({ ...bank, providerStatus: 'levitating' }, { ...ours, status })

    expect(standing).toMatchObject({ status, screening: 'in_review', word: 'unknown' })
  })

  test.each(['toString', '__proto__', '', 'APPROVED', 'approved '])('%j is not one that we know', (providerStatus) => {
    expect(standingOf({ ...bank, providerStatus }, ours).word).toBe('unknown')
  })
})

test('after a try the bank moves on: when it refuses again, that is news whatever reasons it lists', () => {
  const tried = { ...ours, reasonsKnown: 1 }
  const moved = standingOf({ ...bank, providerStatus: 'under_review', reasons: ['a'] }, tried)
  const { status, reasonsKnown } = moved

  expect(reasonsKnown).toBeNull()
  const again = standingOf({ ...bank, providerStatus: 'rejected', reasons: ['a'] }, { ...tried, status, reasonsKnown })
  expect(again.status).toBe('rejected')
})

test('while the bank stays with its refusal, what was known stays known', () => {
  const standing = standingOf({ ...bank, providerStatus: 'rejected', reasons: ['a'] }, { ...ours, reasonsKnown: 1 })

  expect(standing.reasonsKnown).toBe(1)
})

test('a business is ready with approval, terms and pounds, and with nothing less', () => {
  const all = { ...bank, providerStatus: 'approved' }

  expect(isReady(all)).toBe(true)
  expect([{ ...all, termsAccepted: false }, { ...all, paysGbp: false }, bank].filter(isReady)).toEqual([])
})

test('who has not started may start, and who was refused again, unless the bank has sent them away', () => {
  const may = verificationStatuses.filter((status) => canStart(status, 'rejected'))

  expect(may).toEqual(['not_started', 'rejected'])
  expect(canStart('rejected', 'offboarded')).toBe(false)
  expect(canStart('not_started', null)).toBe(true)
})
