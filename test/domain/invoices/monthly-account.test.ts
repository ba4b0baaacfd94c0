// domain/invoices/monthly-account.ts: when an account fee is due, and at which price.
import { expect, test } from '@jest/globals'
import { pricedAt } from '../../../domain/invoices/invoice'

const opened = (iso: string, closed: string | null = null) => ({
  liveOpenedAt: new Date(iso),
  closedAt: closed === null ? null : new Date(closed),
})

test('an account that was never live owes no fee', () => {
  expect(pricedAt({ liveOpenedAt: null, closedAt: null }, '2026-10')).toBeNull()
})

test('the fee is due from the opening month on, at the price valid at the opening and then at each month’s start', () => {
  const account = opened('2026-10-20T12:00:00Z')

  expect(pricedAt(account, '2026-09')).toBeNull()
  expect(pricedAt(account, '2026-10')).toEqual(new Date('2026-10-20T12:00:00Z'))
  expect(pricedAt(account, '2026-11')).toEqual(new Date('2026-11-01T00:00:00Z'))
  expect(pricedAt(account, '2027-04')).toEqual(new Date('2027-03-31T23:00:00Z'))
})

test('an account opened in the last minute of a London month owes the fee for that month', () => {
  expect(pricedAt(opened('2027-03-31T22:59:59.999Z'), '2027-03')).not.toBeNull()
  expect(pricedAt(opened('2027-03-31T23:00:00.000Z'), '2027-03')).toBeNull()
})

test('the fee is due in the closing month, but not in later months', () => {
  const account = opened('2026-08-01T00:00:00Z', '2026-10-31T23:30:00Z')

  expect(pricedAt(account, '2026-10')).not.toBeNull()
  expect(pricedAt(account, '2026-11')).toBeNull()
  expect(pricedAt(opened('2026-08-01T00:00:00Z', '2026-11-01T00:00:00Z'), '2026-11')).toBeNull()
})
