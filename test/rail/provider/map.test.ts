// The bank's states mapped to ours: nothing unknown is read as success or failure, and money is parsed strictly.
import { describe, expect, test } from '@jest/globals'
import { Unreadable } from '../../../rail/provider/fields'
import { readBalance, readError, readMovement, readPaysGbp, readRate, readTransfer } from '../../../rail/provider/map'
import { reasonFor } from '../../../rail/reasons'
import { aTransferJson } from '../../support/bank/scripted'

describe('a transfer', () => {
  test.each([
    ['pending', 'under_way'],
    ['awaiting_funds', 'under_way'],
    ['funds_scheduled', 'under_way'],
    ['funds_received', 'under_way'],
    ['in_review', 'under_way'],
    ['payment_submitted', 'under_way'],
    ['payment_processed', 'delivered'],
    ['undeliverable', 'undeliverable'],
    ['returned', 'returned'],
    ['refund_in_flight', 'returned'],
    ['refunded', 'refunded'],
    ['canceled', 'cancelled'],
    ['underfunded', 'needs_people'],
    ['error', 'needs_people'],
    ['refund_failed', 'needs_people'],
    ['missing_return_policy', 'needs_people'],
    ['kyc_required', 'needs_people'],
    ['payment_processed_v2', 'needs_people'],
    ['constructor', 'needs_people'],
  ])('with the bank state %s has the status %s', (state, status) => {
    expect(readTransfer(aTransferJson({ state }))).toMatchObject({ state, status })
  })

  test('is read with our payout, the amount sent from the wallet, and the times of its creation and last change', () => {
    expect(readTransfer(aTransferJson())).toEqual({
      ref: 'tr_1',
      payoutId: 'payout-1',
      state: 'pending',
      status: 'under_way',
      sentMicroUsdc: 132_410_000n,
      refundedMicroUsdc: null,
      wasDelivered: false,
      reason: null,
      networkCostMicropounds: null,
      createdAt: new Date('2027-03-01T11:59:59.000Z'),
      updatedAt: new Date('2027-03-01T12:00:00.000Z'),
    })
  })

  test('has a stable code and a sentence if it failed', () => {
    const transfer = aTransferJson({ state: 'undeliverable', return_details: { reason: 'AC03' } })

    expect(readTransfer(transfer).reason).toBe('invalid_account: The bank rejected the account details.')
    const returned = aTransferJson({ state: 'returned', return_details: { reason: 'DS24' } })
    expect(readTransfer(returned).reason).toBe('bank_refused: The bank gave the reason code DS24.')
  })

  test('has its receipt’s network cost in pounds, at the receipt’s rate', () => {
    const receipt = { gas_fee: '0.025', exchange_rate: '0.79' }

    expect(readTransfer(aTransferJson({ receipt })).networkCostMicropounds).toBe(19_750n)
  })

  test('has no network cost if the receipt has no rate', () => {
    expect(readTransfer(aTransferJson({ receipt: { gas_fee: '0.025' } })).networkCostMicropounds).toBeNull()
  })

  test.each([
    ['no ID', { id: undefined }],
    ['no state', { state: null }],
    ['an amount that is a number', { source: { currency: 'usdc', amount: 132.41 } }],
    ['an amount with seven decimals', { source: { currency: 'usdc', amount: '132.4100000' } }],
    ['an amount with an exponent', { source: { currency: 'usdc', amount: '1e2' } }],
    ['a negative amount', { source: { currency: 'usdc', amount: '-1.00' } }],
    ['another currency', { source: { currency: 'usdt', amount: '132.41' } }],
    ['another target currency', { destination: { currency: 'eur' } }],
    ['an invalid date', { updated_at: 'yesterday' }],
    ['a cost that is not an amount', { receipt: { gas_fee: 'free' } }],
    ['a reference that is not text', { client_reference_id: 7 }],
  ])('cannot be read with %s', (_, change) => {
    expect(() => readTransfer(aTransferJson(change))).toThrow(Unreadable)
  })

  test.each([[null], [undefined], ['tr_1'], [[]], [{}]])('cannot be read if it is %j', (body) => {
    expect(() => readTransfer(body)).toThrow(Unreadable)
  })
})

describe('a wallet', () => {
  test('has its USDC balance', () => {
    const balances = [
      { currency: 'eurc', balance: '7' },
      { currency: 'usdc', balance: '100.25' },
    ]

    expect(readBalance({ balances })).toEqual({ usdcMicro: 100_250_000n, initiationRequired: false })
  })

  test('cannot be read if the list of balances is missing, and has a zero balance if the list is empty', () => {
    expect(() => readBalance({ id: 'w' })).toThrow(Unreadable)
    expect(readBalance({ balances: [], initiation_required: true })).toEqual({
      usdcMicro: 0n,
      initiationRequired: true,
    })
  })

  test('has a history of deposits and withdrawals only', () => {
    const row = { id: 'h1', type: 'deposit', currency: 'usdc', amount: '5.000001', created_at: '2027-03-01T12:00:00Z' }

    expect(readMovement(row)).toMatchObject({ kind: 'deposit', amountMicroUsdc: 5_000_001n, transferRef: null })
    expect(() => readMovement({ ...row, type: 'adjustment' })).toThrow(Unreadable)
    expect(() => readMovement({ ...row, currency: 'eurc' })).toThrow(Unreadable)
  })
})

test('a customer can pay pounds only with the approved endorsement', () => {
  const endorsed = (name: string, status: string) => ({ status: 'active', endorsements: [{ name, status }] })

  expect(readPaysGbp(endorsed('faster_payments', 'approved'))).toBe(true)
  expect(readPaysGbp(endorsed('faster_payments', 'incomplete'))).toBe(false)
  expect(readPaysGbp(endorsed('base', 'approved'))).toBe(false)
})

test('the rate is the sell rate, with the mid-market rate and the time, and malformed values are unreadable', () => {
  const rate = {
    sell_rate: '0.7912',
    midmarket_rate: '0.7932',
    buy_rate: '0.8',
    updated_at: '2026-11-15T12:00:00.000Z',
  }

  expect(readRate(rate)).toEqual({
    gbpPerUsdNano: 791_200_000n,
    midNano: 793_200_000n,
    updatedAt: new Date('2026-11-15T12:00:00.000Z'),
  })
  for (const wrong of [
    { sell_rate: 0.7912 },
    { sell_rate: '0' },
    { midmarket_rate: undefined },
    { midmarket_rate: '0' },
    { updated_at: null },
    { updated_at: 'today' },
  ])
    expect(() => readRate({ ...rate, ...wrong })).toThrow(Unreadable)
})

test.each([
  [
    { code: 'frozen', message: 'x' },
    { code: 'frozen', field: null },
  ],
  [{ errors: [{ code: 'unexpected', message: 'x' }] }, { code: 'unexpected', field: null }],
  [
    { code: 'required', location: 'header', name: 'Api-Key' },
    { code: 'required', field: 'Api-Key' },
  ],
  [
    { code: 'a', source: { key: 'account.sort_code' } },
    { code: 'a', field: 'account.sort_code' },
  ],
  [
    { code: 'a', source: { key: { city: 'London' } } },
    { code: 'a', field: 'city' },
  ],
  [{ code: 'Ada Lovelace is unknown' }, { code: null, field: null }],
  ['<html>', { code: null, field: null }],
  [undefined, { code: null, field: null }],
])('the error %j is read as %j', (body, expected) => {
  expect(readError(body)).toEqual(expected)
})

test.each([
  ['AC07', 'account_closed'],
  ['BENACCCLOSED', 'account_closed'],
  ['AC01', 'invalid_account'],
  ['AC03', 'invalid_account'],
  ['AC04', 'account_closed'],
  ['ac06', 'account_blocked'],
  ['AM05', 'duplicate_payment'],
  ['BE01', 'name_mismatch'],
  ['BE04', 'details_refused'],
  ['FOCR', 'recalled'],
  ['MD07', 'recipient_deceased'],
  ['MS02', 'recipient_refused'],
  ['MS03', 'bank_refused'],
  ['RC04', 'invalid_account'],
  ['RR04', 'not_permitted'],
  [null, 'bank_refused'],
])('the bank’s reason %s maps to our reason %s', (reason, code) => {
  expect(reasonFor(reason)).toMatch(new RegExp(`^${code}: [A-Z].+\\.$`))
})

test.each(['DS24', 'XX99', 'BENNEWWORD', 'FPS_NEW_STATE', 'plaid_item_error'])(
  'the unknown code %s is part of our reason',
  (code) => {
    expect(reasonFor(` ${code} `)).toBe(`bank_refused: The bank gave the reason code ${code}.`)
  },
)

test.each([
  'Lovelace',
  'lovelace',
  'Ada Lovelace moved',
  '12345678',
  'AC-12345678',
  'GB29NWBK60161331926819',
  'ada@example.com',
  'A'.repeat(41),
  '',
])('%j is not repeated, because it may be personal data', (text) => {
  expect(reasonFor(text)).toBe('bank_refused: The bank gave no reason.')
})
