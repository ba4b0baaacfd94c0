// Follows payouts to the invoice in the partner's inbox, and kills the worker while it bills a month.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addChargedPartners } from '../../../bench/charged-partners'
import { londonMonthOf, type Month, nextMonth, previousMonth, startOf } from '../../../domain/month'
import { createMailer } from '../../../mail/mailer'
import { followRun } from '../../../ops/invoices/follow-run'
import { systemClock } from '../../../runtime/clock'
import type { invoiceRun } from '../../../workflows'
import { housekeepingQueue, ofSystem, scheduleIds } from '../../../workflows/names'
import { asIssued, chargesOf, recompute } from '../../support/api/recompute-invoice'
import type { Json } from '../../support/bank/client'
import { anInbox, type TestInbox } from '../../support/mail/an-inbox'
import { railsTo, stepDeps } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'
import { openWorld, type World } from '../../support/system/world'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const thisMonth = londonMonthOf(systemClock.now())
const lastMonth = previousMonth(thisMonth)
const sender = { name: 'Payouts Test', address: 'billing@payouts.test' }
const workers: AWorker[] = []
let inbox: TestInbox
let world: World

silenceTemporal()

beforeAll(async () => {
  inbox = await anInbox()
  world = await openWorld({
    env: {
      SMTP_URL: inbox.smtpUrl,
      MAIL_FROM: `${sender.name} <${sender.address}>`,
      SELLER_NAME: 'Payouts Test Ltd',
      SELLER_ADDRESS: '1 Test Street|London',
      SELLER_EMAIL: sender.address,
      SELLER_BANK: 'Sort code 00-00-00|Account 12345678',
    },
  })
})
afterAll(async () => {
  for (const worker of workers) {
    await worker.stop()
    await worker.dispose()
  }
  await world.close()
  await inbox.remove()
})

test('if a worker is killed while it bills 200 partners, each gets one invoice, without number gaps or duplicate charges', async () => {
  const name = 'killed'
  // More than four batches of 20, so that some have not started when the worker is killed.
  await addChargedPartners(world.db.dataSource, { partners: 200, chargesEach: 6, month: lastMonth, name })

  const results: string[] = []
  const run = followRun(
    {
      temporal: world.temporal,
      queuePrefix: world.queuePrefix,
      onBilled: async ({ partnerId }) => void results.push(partnerId),
      onSilence: () => undefined,
    },
    { period: lastMonth, partner: null },
  )
  await until('some are billed', async () => (await countOf(name)) >= 40)
  await world.worker.kill()
  const whenKilled = await countOf(name)
  await world.worker.start()
  const { issued, already, failed } = await run

  expect([results.length, new Set(results).size]).toEqual([200, 200])
  expect(whenKilled).toBeLessThan(200)
  // If the worker was killed right after it issued an invoice, the next worker counts that one as already billed.
  expect({ billed: issued + already, failed }).toEqual({ billed: 200, failed: 0 })
  expect(await countOf(name)).toBe(200)
  await expectEveryChargeOnce()
  await expectNoGaps()
})

test('a scheduled run and a manual run at the same moment bill each partner once', async () => {
  const name = 'twice'
  await addChargedPartners(world.db.dataSource, { partners: 40, chargesEach: 4, month: lastMonth, name })

  const schedule = world.temporal.schedule.getHandle(ofSystem(scheduleIds.invoiceRun, world.queuePrefix))
  const [run] = await Promise.all([start({ period: lastMonth }), schedule.trigger()])
  const scheduled = await until('the Schedule has started a run', async () => {
    const [action] = (await schedule.describe()).info.recentActions
    return action?.action.workflow.workflowId
  })
  const byFinance = await run.result()
  const byTheSchedule = await world.temporal.workflow.getHandle<typeof invoiceRun>(scheduled).result()

  for (const result of [byFinance, byTheSchedule]) expect(result).toMatchObject({ period: lastMonth, failed: 0 })
  expect(await countOf(name)).toBe(40)
  await expectEveryChargeOnce()
  await expectNoGaps()
})

test('each live payout is charged once in its month and invoiced, even if it is returned or its worker is killed before the charge', async () => {
  await world.ops('price', 'set', '--partner', world.partner.slug, '--return-cost', '0.01')
  await paid('100.00')
  const [sameMonth, later] = [await paid('200.00'), await paid('300.00')]
  await returned(sameMonth, systemClock.now())
  const uncharged = await killedBeforeCharge('400.00')

  const first = await bill(thisMonth)
  await world.worker.start()
  await world.sweep()
  await world.settled(uncharged)
  await returned(later, startOf(nextMonth(thisMonth)))
  const second = await bill(nextMonth(thisMonth))

  const amounts = ['100.00', '200.00', '300.00', '400.00']
  const [a = 0, b = 0, c = 0, d = 0] = await Promise.all(amounts.map(invoicedPart))
  expect(sumOf(first, 'payout_fees')).toBe(a + b + c + d)
  expect(await count('SELECT count(*)::integer AS n FROM charges WHERE payout_id = $1', [uncharged])).toBe(2)
  expect(sumOf(first, 'credit')).toBe(b)
  expect(sumOf(second, 'payout_fees')).toBe(0)
  expect(sumOf(second, 'credit')).toBe(c)
  expect([pence(second.total_gbp), second.status]).toEqual([0, 'paid'])

  for (const invoice of [first, second]) {
    const get = async (path: string) => (await world.get(path, 'live')).body
    const charges = await chargesOf(get, invoice.id, 3)
    expect(recompute(invoice, charges)).toEqual(asIssued(invoice))
  }
  expect(first.lines.map(({ kind }: Json) => kind)).toEqual([
    'payout_fees',
    'network_fees',
    'bank_exceptions',
    'credit',
  ])

  const pdf = await world.download(`/v1/invoices/${first.id}.pdf`)
  const message = await until('the email has arrived', async () =>
    (await inbox.messages()).find(({ message_id }) => message_id === `<invoice-${first.id}@payouts.test>`),
  )
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect((await inbox.bytes(message.attachments[0]?.path ?? '')).equals(pdf)).toBe(true)
})

function start(order: { period: Month; partner?: string }, taskQueue = ofSystem(housekeepingQueue, world.queuePrefix)) {
  return world.temporal.workflow.start<typeof invoiceRun>('invoiceRun', {
    workflowId: `invoice-run-${randomUUID()}`,
    taskQueue,
    args: [order],
  })
}

async function paid(amount_gbp: string): Promise<string> {
  const { body } = await world.pay({ amount_gbp }, { environment: 'live' })
  expect((await world.settled(body.id)).status).toBe('completed')
  return body.id
}

/** A completed payout that is not charged: a lock blocks the charge until the worker is killed. */
async function killedBeforeCharge(amount_gbp: string): Promise<string> {
  return world.db.transaction(async (tx) => {
    await tx.sql`LOCK TABLE charges IN SHARE ROW EXCLUSIVE MODE`
    const { body } = await world.pay({ amount_gbp }, { environment: 'live' })
    const row = await world.reached(body.id, ({ status }) => status === 'completed')
    await until('its charge waits for the lock', async () => {
      const waiting = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      return (await count(waiting, [])) > 0
    })
    await world.worker.kill()
    expect(row.closed_at).toBeNull()
    return body.id
  })
}

/** Makes the bank return the payout without an event, and polls the return with a clock set to `at`. */
async function returned(payoutId: string, at: Date): Promise<void> {
  const lost = await world.bank.fault({ kind: 'webhook_lost', times: null })
  const [transfer] = await world.transfersOf(payoutId)
  for (const state of ['returned', 'refunded']) {
    await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state, last: true })
  }
  const rails = railsTo(world.bank)
  const deps = stepDeps(world.db, rails, { clock: { now: () => at } })
  const { status } = await payoutActivities(deps).pollReturn({ payoutId })
  rails.close()
  await world.bank.control('DELETE', `/faults/${lost}`)
  expect(status).toBe('returned')
}

/** Bills with a worker whose clock is at 06:00 on the 1st of the next month: an unfinished month cannot be billed. */
async function bill(period: Month): Promise<Json> {
  const now = new Date(startOf(nextMonth(period)).getTime() + 6 * 3_600_000)
  const mailer = createMailer({ smtpUrl: inbox.smtpUrl, from: sender })
  const worker = await aWorker({ clock: { now: () => now }, databaseUrl: world.databaseUrl, mailer })
  workers.push(worker)
  const run = await start({ period, partner: world.partner.slug }, worker.taskQueue)
  expect(await run.result()).toMatchObject({ issued: 1, failed: 0 })
  const { body } = await world.get('/v1/invoices', 'live')
  return body.data.find((invoice: Json) => invoice.period === period)
}

async function invoicedPart(amount_gbp: string): Promise<number> {
  const rows = await world.db.dataSource.query<{ part: string }[]>(
    `SELECT fee_pence - fee_in_transfer_pence AS part FROM payouts WHERE amount_pence = $1 AND environment = 'live'`,
    [pence(amount_gbp)],
  )
  return Number(rows[0]?.part)
}

function sumOf(invoice: Json, kind: string): number {
  const lines: Json[] = invoice.lines.filter((line: Json) => line.kind === kind)
  return lines.reduce((sum, line) => sum + pence(line.amount_gbp), 0)
}

function pence(gbp: string): number {
  return Number(gbp.replace('.', ''))
}

async function countOf(name: string): Promise<number> {
  return count(
    `SELECT count(*)::integer AS n FROM invoices JOIN partners ON partners.id = partner_id
      WHERE slug LIKE $1 AND invoices.status = 'open'`,
    [`${name}-%`],
  )
}

async function expectEveryChargeOnce(): Promise<void> {
  const due = `SELECT count(*)::integer AS n FROM charges WHERE month <= $1 AND 1 <>
    (SELECT count(*) FROM invoice_charges WHERE charge_id = charges.id AND NOT voided)`
  expect(await count(due, [`${lastMonth}-01`])).toBe(0)
}

async function expectNoGaps(): Promise<void> {
  const rows = await world.db.dataSource.query<{ number: string }[]>(
    'SELECT number FROM invoices WHERE number IS NOT NULL ORDER BY number',
  )
  expect(rows.map(({ number }) => Number(number.slice(-6)))).toEqual(rows.map((_, index) => index + 1))
}

async function count(sql: string, values: unknown[]): Promise<number> {
  const [row] = await world.db.dataSource.query<{ n: number }[]>(sql, values)
  return row?.n ?? -1
}
