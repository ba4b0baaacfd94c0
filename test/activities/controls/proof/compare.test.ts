// The comparison of bank movements with our ledger: which movements match, and how far the proof can advance.
// These tests need no database and no bank.
import { expect, test } from '@jest/globals'
import { compare, type ToCompare } from '../../../../activities/controls/proof/compare'
import type { BookedPayout, Booking } from '../../../../db/controls/proof/books'
import type { HistoryRow, WalletMovement } from '../../../../rail/rail'

const now = new Date('2026-11-15T12:00:00Z')
const walletId = 'wallet-1'

test('matched movements that are at least an hour older than the newest one are not read again', () => {
  const history = [
    aDeposit('in', 100n, 300),
    aWithdrawal('out', 30n, 200),
    aDeposit('late', 5n, 59),
    aDeposit('last', 1n, 0),
  ]
  const bookings = [booked('in', 100n), booked('late', 5n), booked('last', 1n)]

  const { findings, settled, runningMicroUsdc } = compared({ history, bookings, payouts: [aPayout({})] })

  expect(findings).toEqual([])
  expect(runningMicroUsdc).toEqual([0n, 100n, 70n, 75n, 76n])
  expect(settled).toMatchObject({ provedTo: 'out', bankMicroUsdc: 70n, bookings: 1 })
})

test('a history of 200,000 movements can be compared', () => {
  const history = Array.from({ length: 200_000 }, (_, index) => aDeposit(`m${index}`, 1n, 200_000 - index))

  const { settled } = compared({ history, bookings: history.map(({ id }) => booked(id, 1n)) })

  expect(settled).toMatchObject({ provedTo: 'm199938', bookings: 199_939 })
})

test('a single movement is always the newest one, so it is read again', () => {
  expect(compared({ history: [aDeposit('in', 100n, 60)], bookings: [booked('in', 100n)] }).settled).toBeNull()
})

test('a second withdrawal for a payout is reported with its own ID, and stops the proof from advancing', () => {
  const history = [aWithdrawal('out', 30n, 300), aWithdrawal('again', 30n, 200), aDeposit('in', 1n, 0)]

  const { findings, expectedMicroUsdc, settled } = compared({ history, payouts: [aPayout({})] })

  expect(findings).toEqual([
    { kind: 'transfer_without_payout', walletId, subject: 'again', expected: 'a payout', found: '30' },
  ])
  // Our balance of 1000, plus the unbooked deposit, minus the second withdrawal.
  expect(expectedMicroUsdc).toBe(1_000n + 1n - 30n)
  expect(settled?.provedTo).toBe('out')
})

test('a withdrawal is not a drift while its payout has no transfer ID yet, but it stops the proof from advancing', () => {
  const history = [aWithdrawal('out', 30n, 300), aDeposit('in', 1n, 0)]

  const { findings, settled } = compared({ history, payouts: [aPayout({ transferRef: null, status: 'pending' })] })

  expect(findings.filter(({ kind }) => kind !== 'deposit_not_booked')).toEqual([])
  expect(settled).toBeNull()
})

test('a booked refund is matched by its movement ID, or by its payout if the booking has no ID', () => {
  const history = [aWithdrawal('out', 30n, 300), aRefund('back', 30n, 200), aDeposit('in', 1n, 0)]
  const refunded = aPayout({ status: 'failed', isOpen: false, transitMicroUsdc: 0n })
  const named = compared({ history, payouts: [refunded], bookings: [booked('back', 30n), booked('in', 1n)] })
  const nameless = { ...refunded, hasNamelessRefund: true }
  const unnamed = compared({ history, payouts: [nameless], bookings: [booked('in', 1n)] })

  for (const [{ findings, settled, expectedMicroUsdc }, bookings] of [
    [named, 1],
    [unnamed, 0],
  ] as const) {
    expect(findings).toEqual([])
    expect(expectedMicroUsdc).toBe(1_000n)
    expect(settled).toMatchObject({ provedTo: 'back', bankMicroUsdc: 0n, bookings })
  }
})

test('an unbooked refund of an open payout is left to its workflow, and is a drift once the payout is closed', () => {
  const history = [aWithdrawal('out', 30n, 300), aRefund('back', 30n, 200), aDeposit('in', 1n, 0)]
  const bookings = [booked('in', 1n)]
  const open = compared({ history, bookings, payouts: [aPayout({})] })
  const over = compared({ history, bookings, payouts: [aPayout({ isOpen: false, status: 'failed' })] })

  expect(open.findings).toEqual([])
  expect(over.findings).toEqual([expect.objectContaining({ kind: 'deposit_not_booked', subject: 'back' })])
  for (const { settled, expectedMicroUsdc } of [open, over]) {
    expect(expectedMicroUsdc).toBe(1_030n)
    expect(settled?.provedTo).toBe('out')
  }
})

interface Books {
  readonly history: readonly HistoryRow[]
  readonly bookings?: readonly Booking[]
  readonly payouts?: readonly BookedPayout[]
}

function compared({ history, bookings = [], payouts = [] }: Books) {
  const given: ToCompare = {
    walletId,
    mark: null,
    books: {
      balanceMicroUsdc: 1_000n,
      suspenseMicroUsdc: 0n,
      sent: payouts,
      payouts,
      bookings,
      held: new Set(),
      olderBookings: 0,
    },
    history,
    listed: [],
    whose: new Map(payouts.map((payout) => [ref, payout])),
    unsent: new Set(),
    unnamedMicroUsdc: 0n,
    isAccepted: () => false,
    passed: new Set(),
    bookedBefore: new Date(now.getTime() - 30 * 60_000),
    bookingsSince: now,
    payoutsSince: now,
  }
  return compare(given)
}

const ref = 'transfer-1'

function aPayout(change: Partial<BookedPayout>): BookedPayout {
  const amounts = { sendsMicroUsdc: 30n, debitedMicroUsdc: 30n, transitMicroUsdc: 30n }
  const standing = { status: 'processing', isOpen: true, hasNamelessRefund: false, submitStartedAt: ago(301) } as const
  return { id: 'payout-1', walletId, transferRef: ref, ...amounts, ...standing, ...change }
}

function booked(bankRef: string, amountMicroUsdc: bigint): Booking {
  return { bankRef, amountMicroUsdc, at: ago(1) }
}

function aDeposit(id: string, amountMicroUsdc: bigint, minutes: number): WalletMovement {
  return { id, kind: 'deposit', amountMicroUsdc, transferRef: null, at: ago(minutes) }
}

function aRefund(id: string, amountMicroUsdc: bigint, minutes: number): WalletMovement {
  return { ...aDeposit(id, amountMicroUsdc, minutes), transferRef: ref }
}

function aWithdrawal(id: string, amountMicroUsdc: bigint, minutes: number): WalletMovement {
  return { id, kind: 'withdrawal', amountMicroUsdc, transferRef: ref, at: ago(minutes) }
}

function ago(minutes: number): Date {
  return new Date(now.getTime() - minutes * 60_000)
}
