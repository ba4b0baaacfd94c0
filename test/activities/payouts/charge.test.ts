// A completed payout is charged once, in the month of its completion, whether its own charging step, an
// invoice run or a return comes first.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { issueInvoice } from '../../../db/invoices/issue'
import { listPartnersToBill } from '../../../db/invoices/partners-to-bill'
import { loadStep } from '../../../db/payouts/steps'
import { londonMonthOf, nextMonth, startOf } from '../../../domain/month'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef, Underway } from '../../../workflows/payouts/payout'
import { aSeller } from '../../support/api/fixtures'
import { useDatabase } from '../../support/db/database'
import { aClaim, movableClock, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const month = londonMonthOf(systemClock.now())
const firstOfNext = startOf(nextMonth(month))

const db = useDatabase()
const clock = movableClock()
const { bank, rails, partner } = usePayer(db, { clock })
const steps = payoutActivities(stepDeps(db, rails, { clock }))
let payout: PayoutRef
let settled: Underway

/** Creates a live payout that the bank has delivered and that is not charged yet. */
beforeEach(async () => {
  payout = await aClaim(db, { partnerId: partner.id, environment: 'live' })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
  await advance('payment_processed')
  settled = await steps.pollSettlement(payout)
})

afterEach(() => clock.reset())

test('a settled payout stays open until the charging step charges it once and closes it', async () => {
  expect(settled).toMatchObject({ at: 'settled', status: 'completed' })
  expect(await loadStep(db, payout.payoutId)).toMatchObject({ status: 'completed', closedAt: null })
  expect(await charges()).toEqual([])

  const [first, second] = [await steps.chargePayout(payout), await steps.chargePayout(payout)]

  expect(first).toMatchObject({
    at: 'over',
    status: 'completed',
    says: expect.stringMatching(/^completed, fee 1\.09 GBP/),
  })
  expect(second).toMatchObject({ at: 'over', status: 'completed' })
  expect((await loadStep(db, payout.payoutId)).closedAt).toEqual(expect.any(Date))
  expect(await charges()).toEqual([`network_fee ${month}`, `payout_fee ${month}`])
})

test('concurrent runs charge the payout once', async () => {
  await Promise.all([1, 2, 3, 4].map(() => steps.chargePayout(payout)))

  expect(await charges()).toEqual([`network_fee ${month}`, `payout_fee ${month}`])
})

test('a resumed run charges the payout, and neither debits it nor calls the bank again', async () => {
  await bank.fault({ kind: 'status', status: 500, times: null })

  expect(await steps.debitPayout(payout)).toMatchObject({ at: 'settled' })
  expect(await steps.pollSettlement(payout)).toMatchObject({ at: 'settled' })
  expect(await steps.chargePayout(payout)).toMatchObject({ at: 'over', status: 'completed' })
})

test('a payout that is charged days later is charged in the month of its completion', async () => {
  clock.forward(firstOfNext.getTime() - systemClock.now().getTime() + 86_400_000)

  await steps.chargePayout(payout)

  expect(await charges()).toEqual([`network_fee ${month}`, `payout_fee ${month}`])
})

test('after an invoice run has charged a payout, its own charging step charges nothing more', async () => {
  const toBill = await listPartnersToBill(db, { period: month, after: null, limit: 10 })
  const at = new Date(firstOfNext.getTime() + 1000)
  const issued = await issueInvoice(db, { partnerId: partner.id, period: month, at, seller: aSeller })
  const again = await steps.chargePayout(payout)

  expect(toBill.map(({ id }) => id)).toContain(partner.id)
  expect(issued).toMatchObject({ outcome: 'issued' })
  expect(again).toMatchObject({ at: 'over', status: 'completed' })
  expect(await charges()).toEqual([`network_fee ${month}`, `payout_fee ${month}`])
  const left = await db.sql`SELECT FROM uninvoiced_charges WHERE partner_id = ${partner.id}`
  expect(left).toEqual([])
})

test('a payout that is returned before it was charged is charged and credited', async () => {
  await advance('returned')
  await steps.pollReturn(payout)

  expect(await steps.chargePayout(payout)).toMatchObject({ at: 'over', status: 'returned' })
  expect((await charges()).filter((charge) => !charge.startsWith('exception'))).toEqual([
    `credit ${month}`,
    `network_fee ${month}`,
    `payout_fee ${month}`,
  ])
})

test('a return that an older worker booked without a charge is charged and credited by the next poll', async () => {
  await advance('returned')
  await db.dataSource.query(
    `UPDATE payouts SET status = 'returned', returned_at = now(), failure_reason = 'account_closed: Closed.' WHERE id = $1`,
    [payout.payoutId],
  )

  await steps.pollReturn(payout)
  await steps.pollReturn(payout)

  expect((await charges()).filter((charge) => !charge.startsWith('exception'))).toEqual([
    `credit ${month}`,
    `network_fee ${month}`,
    `payout_fee ${month}`,
  ])
})

test('a refused charge raises attention and keeps the payout open until a retry succeeds', async () => {
  await db.dataSource.query(
    `ALTER TABLE charges ADD CONSTRAINT planted CHECK (partner_id <> '${partner.id}') NOT VALID`,
  )
  await expect(steps.chargePayout(payout)).rejects.toThrow('planted')
  const refused = await loadStep(db, payout.payoutId)
  await db.dataSource.query('ALTER TABLE charges DROP CONSTRAINT planted')

  expect(await steps.chargePayout(payout)).toMatchObject({ at: 'over', status: 'completed' })
  expect(refused).toMatchObject({ attention: 'can_not_book_charge', closedAt: null })
  expect((await loadStep(db, payout.payoutId)).attention).toBeNull()
})

async function advance(state: string): Promise<void> {
  const { transferRef } = await loadStep(db, payout.payoutId)
  await bank.control('POST', `/transfers/${transferRef}/advance`, { state, last: true })
}

async function charges(): Promise<string[]> {
  const rows = await db.sql<{ line: string }>`SELECT kind || ' ' || to_char(month, 'YYYY-MM') AS line FROM charges
    WHERE payout_id = ${payout.payoutId} ORDER BY line`
  return rows.map(({ line }) => line)
}
