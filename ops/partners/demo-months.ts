// The payouts of the demo partner in three past months, this month and the sandbox, in chronological order, and a clock
// for each of their days.
import { londonMonthOf, type Month, startOf } from '../../domain/month'
import type { Clock } from '../../runtime/clock'

export interface DemoPayout {
  readonly key: string
  readonly day: number
  readonly amount_gbp: string
  readonly reference: string
  readonly recipient: { readonly first_name: string; readonly last_name: string }
  readonly account_number: string
  /** A return is booked before the next payout. */
  readonly end: 'completed' | 'failed' | 'cancelled' | { readonly returnedOn: number }
}

type Recipient = readonly [firstName: string, lastName: string, account: string]

const grace: Recipient = ['Grace', 'Hopper', '55779911']
const alan: Recipient = ['Alan', 'Turing', '41938245']
const mary: Recipient = ['Mary', 'Somerville', '60304422']
const charles: Recipient = ['Charles', 'Babbage', '19283746']
const ada: Recipient = ['Ada', 'Lovelace', '70872490']

/**
 * Some of these payouts complete, and others fail, are cancelled or are returned, so that the dashboard can show each
 * case.
 */
export const demoMonths = {
  first: [
    demoPayout('demo-order-a1', 4, '310.00', 'Order 1904', grace),
    demoPayout('demo-order-a2', 8, '890.00', 'Order 1911', alan),
    demoPayout('demo-order-a3', 11, '64.20', 'Refund 291', mary),
    demoPayout('demo-order-a4', 15, '455.00', 'Order 1930', charles, 'failed'),
    demoPayout('demo-order-a5', 16, '455.00', 'Order 1930', charles),
    demoPayout('demo-order-a6', 24, '120.00', 'Order 1952', ada),
  ],
  second: [
    demoPayout('demo-order-b1', 3, '275.00', 'Order 1973', grace),
    demoPayout('demo-order-b2', 7, '1040.00', 'Order 1986', alan),
    demoPayout('demo-order-b3', 12, '99.00', 'Refund 304', mary, 'cancelled'),
    demoPayout('demo-order-b4', 13, '89.00', 'Refund 304', mary),
    demoPayout('demo-order-b5', 18, '510.00', 'Order 2009', charles),
    demoPayout('demo-order-b6', 25, '140.75', 'Order 2022', ada),
  ],
  last: [
    demoPayout('demo-order-1', 5, '250.00', 'Order 2041', grace),
    demoPayout('demo-order-2', 9, '1200.00', 'Order 2057', alan),
    demoPayout('demo-order-3', 14, '75.50', 'Refund 318', mary),
    demoPayout('demo-order-4', 19, '480.00', 'Order 2098', charles, { returnedOn: 22 }),
    demoPayout('demo-order-5', 26, '99.99', 'Order 2113', ada),
  ],
  current: [
    demoPayout('demo-order-c1', 4, '320.00', 'Order 2127', grace),
    demoPayout('demo-order-c2', 10, '860.00', 'Order 2139', alan),
    demoPayout('demo-order-c3', 17, '58.40', 'Refund 326', mary),
    demoPayout('demo-order-c4', 21, '410.00', 'Order 2150', charles, { returnedOn: 25 }),
  ],
  /** A payout to an account number that ends in 0000 fails. */
  sandbox: [
    demoPayout('demo-test-1', 6, '120.00', 'Test order 1', ada),
    demoPayout('demo-test-2', 12, '45.50', 'Test order 2', grace),
    demoPayout('demo-test-3', 18, '75.00', 'Test of a failure', ['Alan', 'Turing', '41930000'], 'failed'),
    demoPayout('demo-test-4', 24, '15.00', 'Test order 3', mary),
  ],
} as const satisfies Readonly<Record<string, readonly DemoPayout[]>>

function demoPayout(
  key: string,
  day: number,
  amount_gbp: string,
  reference: string,
  [first_name, last_name, account_number]: Recipient,
  end: DemoPayout['end'] = 'completed',
): DemoPayout {
  return { key, day, amount_gbp, reference, recipient: { first_name, last_name }, account_number, end }
}

/** The body of the request that creates the payout. */
export function requestOf({ amount_gbp, reference, recipient, account_number }: DemoPayout) {
  const address = { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4LB' }
  const bank = { bank_name: 'Example Bank', sort_code: '200415', account_number }
  return { amount_gbp, reference, recipient: { ...recipient, address, bank } }
}

/** A running clock that starts at the given day and hour of the month. */
export type Calendar = (day: number, hour: number) => Clock

interface Clocked {
  readonly clock: Clock
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export function calendarOf({ clock }: Clocked, month: Month): Calendar {
  return (day, hour) => runningFrom(clock, startOf(month).getTime() + (day - 1) * dayMs + hour * hourMs)
}

/**
 * Fits 30 days into the elapsed part of this month, and into the last six days, because Home lists failed payouts for a
 * week. In the first hour of a month everything happens now, because a shorter time could change the order of events.
 */
export function recentCalendar({ clock }: Clocked): Calendar {
  const now = clock.now()
  const start = Math.max(startOf(londonMonthOf(now)).getTime(), now.getTime() - 6 * dayMs)
  const elapsedMs = now.getTime() - start
  if (elapsedMs < hourMs) return () => clock
  return (day, hour) => runningFrom(clock, start + ((day - 1 + hour / 24) / 30) * elapsedMs)
}

function runningFrom(clock: Clock, startMs: number): Clock {
  const since = clock.now().getTime()
  return { now: () => new Date(startMs + clock.now().getTime() - since) }
}
