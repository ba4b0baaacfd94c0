// ops charge list, and the charges in payout show and explain, with a real database.
import { beforeEach, expect, test } from '@jest/globals'
import { issueInvoice } from '../../../db/invoices/issue'
import { chargePayout, chargeReturn, creditReturned } from '../../../db/invoices/payout-charges'
import type { PartnerRow } from '../../../db/partners/partners'
import { loadStep } from '../../../db/payouts/steps'
import { londonMonthOf, previousMonth, startOf } from '../../../domain/month'
import { systemClock } from '../../../runtime/clock'
import { aClock, aPartner, aPayoutRow, aSeller } from '../../support/api/fixtures'
import { useTerminal } from '../../support/terminal'

interface Shown {
  readonly kind: string
  readonly amount_gbp: string
  readonly cause: string
  readonly case_id: string | null
  readonly payout_id: string | null
  readonly partner: string
  readonly invoice: string | null
}

const period = previousMonth(londonMonthOf(systemClock.now()))
const at = new Date(startOf(period).getTime() + 86_400_000)
const terminal = useTerminal()
let partner: PartnerRow
let payoutId: string

/** A live payout whose completion and return were charged last month, and whose trace cost us 2.50. */
beforeEach(async () => {
  const stage = { db: terminal.db, clock: aClock(startOf(period).toISOString()) }
  partner = await aPartner(stage)
  payoutId = (await aPayoutRow(stage, partner, { environment: 'live' })).id
  await aPayoutRow(stage, partner, { environment: 'live' })
  await terminal.db.transaction(async (tx) => {
    const row = await loadStep(tx, payoutId)
    await chargePayout(tx, { ...row, completedAt: at }, at)
    await creditReturned(tx, row, at)
    await chargeReturn(tx, row, at)
  })
  const opening = ['case', 'open', '--payout', payoutId, '--kind', 'trace', '--reason', 'It is late']
  const { id } = await terminal.json<{ id: string }>(...opening)
  await terminal.json('case', 'resolve', '--case', id, '--outcome', 'found', '--cost', '2.50')
})

const list = async (...argv: string[]) => (await terminal.json<{ data: Shown[] }>('charge', 'list', ...argv)).data
const kindsOf = (charges: readonly Shown[]) => charges.map(({ kind }) => kind).toSorted()

test('charge list shows the charges of a payout, a month or a partner, with their causes and sums', async () => {
  const ofPayout = await list('--payout', payoutId.toUpperCase())
  const ofMonth = await list('--partner', partner.slug, '--period', period)
  const ofPartner = await list('--partner', partner.slug)
  const { out } = await terminal.ops('charge', 'list', '--partner', partner.slug)

  // The case is resolved today, so its charge belongs to this month and not to `period`.
  expect(kindsOf(ofMonth)).toEqual(['credit', 'exception', 'network_fee', 'payout_fee'])
  expect(kindsOf(ofPayout)).toEqual(['credit', 'exception', 'exception', 'network_fee', 'payout_fee'])
  expect(ofPartner).toEqual(ofPayout)
  expect(ofPayout).toContainEqual(
    expect.objectContaining({ kind: 'network_fee', amount_gbp: '0.0198', cause: 'payout_completed', invoice: null }),
  )
  expect(ofPayout.find(({ cause }) => cause === 'case_resolved')).toMatchObject({
    amount_gbp: '3.00',
    kind: 'exception',
    case_id: expect.any(String),
    payout_id: payoutId,
    partner: partner.slug,
  })
  expect(out).toMatch(/^AT +PARTNER +MONTH +KIND +GBP +CAUSE +ABOUT +INVOICE\n/)
  expect(out).toMatch(/\ncredit +1 +-1\.09 GBP\n/)
})

test('charge list and payout show name a charge’s current invoice, and charge list also finds charges by a void one', async () => {
  const voided = await issue()
  const invoice = ['--period', period, '--partner', partner.slug]
  await terminal.ops('invoices', 'void', ...invoice, '--reason', 'a mistake')
  const number = await issue()

  const ofVoid = await list('--invoice', voided.toLowerCase())
  const shown = await terminal.json<{ charges: Shown[] }>('payout', 'show', '--payout', payoutId)
  const { out } = await terminal.ops('payout', 'show', '--payout', payoutId)

  expect(kindsOf(ofVoid)).toEqual(['credit', 'exception', 'network_fee', 'payout_fee'])
  expect(new Set(ofVoid.map((charge) => charge.invoice))).toEqual(new Set([number]))
  expect(await list('--invoice', number)).toEqual(ofVoid)
  expect(shown.charges.map((charge) => [charge.kind, charge.invoice])).toContainEqual(['payout_fee', number])
  expect(shown.charges.map((charge) => [charge.kind, charge.invoice])).toContainEqual(['exception', null])
  expect(out).toMatch(new RegExp(`payout_fee +1\\.09 +payout_completed +${payoutId} +${number}\\n`))
})

test('payout explain shows each charge', async () => {
  const { steps } = await terminal.json<{ steps: { from: string; text: string }[] }>('payout', 'explain', payoutId)

  expect(steps.filter(({ from }) => from === 'charge').map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      `Charged 1.09 GBP as payout_fee, because of payout_completed, in ${period}: on no invoice yet.`,
      `Credited 1.09 GBP, because of payout_returned, in ${period}: on no invoice yet.`,
    ]),
  )
})

test('charge list refuses a missing filter, an unknown partner and an invalid invoice number', async () => {
  const run = async (...argv: string[]) => {
    const { code, out, err } = await terminal.ops('charge', 'list', ...argv)
    return [code, out + err]
  }

  expect(await run('--period', period)).toEqual([2, 'Specify --partner, --payout or --invoice.\n'])
  expect(await run('--partner', 'nobody')).toEqual([2, 'There is no partner nobody.\n'])
  expect(await run('--invoice', 'INV-2020-000001')).toEqual([0, 'There are no such charges.\n'])
  expect(await run('--invoice', 'x')).toEqual([
    2,
    '--invoice must be the number of an invoice, such as INV-2026-000123.\n',
  ])
})

async function issue(): Promise<string> {
  const order = { partnerId: partner.id, period, at: systemClock.now(), seller: aSeller }
  const issued = await issueInvoice(terminal.db, order)
  if (issued.outcome !== 'issued') throw new Error(`not issued: ${issued.outcome}`)
  return issued.number
}
