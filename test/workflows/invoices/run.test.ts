// A month is billed partner by partner. Each partner is billed once, despite failures and concurrent runs.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Client, WorkflowFailedError } from '@temporalio/client'
import { rootCause } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { addChargedPartners } from '../../../bench/charged-partners'
import { issueInvoice } from '../../../db/invoices/issue'
import { followRun, resultIn } from '../../../ops/invoices/follow-run'
import type { invoiceRun } from '../../../workflows'
import type { InvoiceRunOrder } from '../../../workflows/invoices/run'
import { invoiceMailId, invoiceRunId } from '../../../workflows/names'
import { anInvoice } from '../../support/mail/an-invoice'
import { testActivities, useWorker } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const period = '2026-10'
const now = new Date('2026-11-15T12:00:00.000Z')
const worker = useWorker({ clock: { now: () => now } })
let name = ''

beforeEach(() => {
  name = `run-${randomBytes(4).toString('hex')}`
})
afterEach(async () => {
  // A test must not leave unbilled charges behind for the next one.
  await (await start({ period })).result()
})

test('every partner gets one invoice with all its charges, and the numbers have no gap', async () => {
  await chargedPartners(12)

  const result = await (await start({ period })).result()

  expect(result).toMatchObject({ period, issued: 12, failed: 0, elsewhere: 0 })
  expect(await invoicesOf(name)).toHaveLength(12)
  expect(await openCharges()).toBe(0)
  await expectNoGaps()
})

test('rerunning a finished month changes nothing, and the result counts its invoices as already issued', async () => {
  await chargedPartners(3)
  await (await start({ period })).result()
  const before = await invoicesOf(name)

  const again = await (await start({ period })).result()

  expect(again).toMatchObject({ issued: 0, failed: 0 })
  expect(again.already).toBeGreaterThanOrEqual(3)
  expect(await invoicesOf(name)).toEqual(before)
})

test('a run with many partners continues as new, and keeps its counts', async () => {
  await chargedPartners(7)

  const handle = await start({ period, pageSize: 3 })
  const result = await handle.result()

  const first = worker.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId)
  expect(result).toMatchObject({ issued: 7, failed: 0 })
  expect((await first.describe()).status.name).toBe('CONTINUED_AS_NEW')
})

test('a partner that cannot be billed is named and does not stop others, and a rerun after the fix bills only that partner', async () => {
  await chargedPartners(5)
  const bad = await partnerId(`${name}-3`)
  await worker.db.dataSource.query(
    `ALTER TABLE invoices ADD CONSTRAINT planted CHECK (partner_id <> '${bad}') NOT VALID`,
  )

  const failing = await start({ period })
  const failure: unknown = await failing.result().catch((error: unknown) => error)
  await worker.db.dataSource.query('ALTER TABLE invoices DROP CONSTRAINT planted')
  const second = await (await start({ period })).result()

  expect((await failing.describe()).status.name).toBe('FAILED')
  expect(resultIn(failure)).toMatchObject({ issued: 4, failed: 1, failedPartners: [bad] })
  expect(second).toMatchObject({ issued: 1, failed: 0 })
  await expectNoGaps()
})

test('a transient error of one partner delays only that partner', async () => {
  await chargedPartners(5)
  const slow = await partnerId(`${name}-3`)
  await refuseForNow(slow)

  const handle = await start({ period })
  await until('the other partners are billed', async () => (await invoicesOf(name)).length === 4)
  await until('the partner is retried alone', async () => {
    const { raw } = await handle.describe()
    return (raw.pendingActivities?.[0]?.attempt ?? 0) > 1
  })
  await allowAgain()

  expect(await handle.result()).toMatchObject({ issued: 5, failed: 0 })
  expect(await invoicesOf(name)).toHaveLength(5)
  await expectNoGaps()
})

test('an invoice whose email could not be started is found by the next attempt, which starts the email', async () => {
  await chargedPartners(1)
  const issue = await issueInDatabase(await partnerId(`${name}-1`))

  const result = await (await start({ period, partner: `${name}-1` })).result()

  expect(result).toMatchObject({ issued: 0, already: 1 })
  await expect(worker.client.workflow.getHandle(invoiceMailId(issue)).describe()).resolves.toBeDefined()
})

test('a worker that shuts down stops between two invoices, and leaves the rest of the batch to another one', async () => {
  await chargedPartners(3)
  const partnerIds = await Promise.all([1, 2, 3].map((n) => partnerId(`${name}-${n}`)))
  const shutdown = new MockActivityEnvironment()
  const clock = {
    now: () => {
      shutdown.cancel()
      return now
    },
  }
  const { db, client, queuePrefix } = worker
  const { activities, close } = testActivities({ db, client, queuePrefix, clock })

  const result = await shutdown.run(() => activities.issueInvoices({ partnerIds, period }))
  close()

  expect(result).toEqual({
    billed: [expect.objectContaining({ partnerId: partnerIds[0], outcome: 'issued' })],
    postponed: partnerIds.slice(1),
  })
  expect(await invoicesOf(name)).toHaveLength(1)
})

test('two concurrent runs bill each partner once', async () => {
  await chargedPartners(10)

  const runs = await Promise.all([start({ period }), start({ period })])
  const results = await Promise.all(runs.map((run) => run.result()))

  expect(results.reduce((sum, { issued }) => sum + issued, 0)).toBe(10)
  expect(results.map(({ failed }) => failed)).toEqual([0, 0])
  expect(await invoicesOf(name)).toHaveLength(10)
})

test('if the input names a partner, only that partner is billed', async () => {
  await chargedPartners(2)

  const result = await (await start({ period, partner: `${name}-2` })).result()
  const again = await (await start({ period, partner: `${name}-2` })).result()

  expect(result).toMatchObject({ issued: 1, already: 0 })
  expect(again).toMatchObject({ issued: 0, already: 1 })
  expect((await invoicesOf(name)).map(({ slug }) => slug)).toEqual([`${name}-2`])
})

test('a cancelled run stops, and starts the email workflow of every invoice that it issued', async () => {
  await chargedPartners(100)

  const handle = await worker.db.transaction(async (tx) => {
    await tx.sql`LOCK TABLE invoice_numbers IN EXCLUSIVE MODE`
    const run = await start({ period })
    await until('its first batches wait', async () => ((await run.describe()).raw.pendingActivities?.length ?? 0) > 1)
    await run.cancel()
    await until('it has noticed', async () => {
      const events = (await run.fetchHistory()).events ?? []
      const requested = events.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes)
      const done = events.findLastIndex((event) => event.workflowTaskCompletedEventAttributes)
      return requested > 0 && done > requested
    })
    return run
  })
  await handle.result().catch(() => undefined)

  expect((await handle.describe()).status.name).toBe('CANCELLED')
  expect(await invoicesOf(name)).toHaveLength(80)
  for (const { id } of await invoicesOf(name)) {
    await expect(worker.client.workflow.getHandle(invoiceMailId(id)).describe()).resolves.toBeDefined()
  }
})

test('each partner is reported as billed even if the last two progress queries get no answer', async () => {
  await chargedPartners(3)
  const reported: string[] = []
  const onBilled = async ({ partnerId }: { partnerId: string }) => void reported.push(partnerId)
  const temporal = withoutLastReads(2)

  const order = { period, partner: null } as const
  const result = await followRun({ temporal, queuePrefix: worker.queuePrefix, onBilled, onSilence: () => {} }, order)

  expect(reported).toHaveLength(3)
  expect(result.failed).toBe(0)
})

test.each([
  ['an unfinished month', { period: '2026-11' }, 'November 2026 is not over yet.'],
  ['no month', {}, /^Specify the month to bill/],
  ['an invalid month', { period: '2026-13' }, /^Specify the month to bill/],
  ['an unknown partner', { period, partner: 'nobody-at-all' }, 'There is no partner nobody-at-all.'],
])('%s is refused with a message', async (_, order, sentence) => {
  const failure = await (await start(order)).result().catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(WorkflowFailedError)
  expect(rootCause(failure instanceof WorkflowFailedError ? failure.cause : null)).toMatch(sentence)
})

test('a run waits while the database is unavailable', async () => {
  await chargedPartners(2)
  await worker.db.dataSource.query('ALTER TABLE partners RENAME TO partners_away')
  const handle = await start({ period })
  await until('a query has failed', async () => {
    const { raw } = await handle.describe()
    return (raw.pendingActivities?.[0]?.attempt ?? 0) > 1
  })

  await worker.db.dataSource.query('ALTER TABLE partners_away RENAME TO partners')

  expect(await handle.result()).toMatchObject({ issued: 2 })
})

test('the histories contain no personal data', async () => {
  await chargedPartners(1)
  const handle = await start({ period })
  await handle.result()

  const [invoice] = await invoicesOf(name)
  const mail = worker.client.workflow.getHandle(invoiceMailId(invoice?.id ?? ''))
  for (const each of [handle, mail]) {
    // Payloads are in base64.
    const text = JSON.stringify(await each.fetchHistory()).replaceAll(/"data":"([^"]+)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    )
    expect(text).toContain(each === handle ? period : invoice?.id)
    for (const canary of ['Partner 1 Ltd', '@partners.test']) expect(text).not.toContain(canary)
  }
})

/** Every transaction that issues this partner's invoice fails with a transient error. */
async function refuseForNow(partner: string): Promise<void> {
  await worker.db.dataSource.query(
    `CREATE FUNCTION refuse_for_now() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'try again' USING ERRCODE = 'lock_not_available'; END $$`,
  )
  await worker.db.dataSource.query(
    `CREATE TRIGGER planted BEFORE INSERT ON invoices FOR EACH ROW WHEN (NEW.partner_id = '${partner}')
      EXECUTE FUNCTION refuse_for_now()`,
  )
}

async function allowAgain(): Promise<void> {
  await worker.db.dataSource.query('DROP FUNCTION refuse_for_now() CASCADE')
}

/** Issues the invoice as a worker does that is killed before it starts the email. */
async function issueInDatabase(partner: string): Promise<string> {
  const issued = await issueInvoice(worker.db, { partnerId: partner, period, at: now, seller: anInvoice().seller })
  return issued.invoiceId ?? ''
}

function start(order: InvoiceRunOrder) {
  return worker.client.workflow.start<typeof invoiceRun>('invoiceRun', {
    workflowId: `invoice-run-${randomUUID()}`,
    taskQueue: worker.taskQueue,
    args: [order],
  })
}

/** A client whose progress queries fail until the run has ended, and then `reads` more times. */
function withoutLastReads(reads: number): Client {
  const { client } = worker
  const workflowId = invoiceRunId(worker.queuePrefix, { period, partner: null })
  let unanswered = 0
  async function withDeadline<T>(deadline: number | Date, ask: () => Promise<T>): Promise<T> {
    const running = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => null)
    if (running === null || unanswered === reads) return client.withDeadline(deadline, ask)
    if (running.status.name !== 'RUNNING') unanswered += 1
    throw new Error('no answer')
  }
  return Object.create(client, { withDeadline: { value: withDeadline } })
}

function chargedPartners(partners: number): Promise<void> {
  return addChargedPartners(worker.db.dataSource, { partners, chargesEach: 4, month: period, name })
}

async function invoicesOf(prefix: string): Promise<{ id: string; slug: string; number: string }[]> {
  return worker.db.dataSource.query(
    `SELECT invoices.id, slug, number FROM invoices JOIN partners ON partners.id = partner_id
      WHERE slug LIKE $1 || '-%' AND invoices.status = 'open' ORDER BY number`,
    [prefix],
  )
}

async function partnerId(slug: string): Promise<string> {
  const [row] = await worker.db.dataSource.query<{ id: string }[]>('SELECT id FROM partners WHERE slug = $1', [slug])
  return row?.id ?? ''
}

async function openCharges(): Promise<number> {
  const [row] = await worker.db.dataSource.query<{ n: number }[]>(
    `SELECT count(*)::integer AS n FROM charges
      WHERE NOT EXISTS (SELECT FROM invoice_charges WHERE charge_id = charges.id AND NOT voided)`,
  )
  return row?.n ?? -1
}

async function expectNoGaps(): Promise<void> {
  const rows = await worker.db.dataSource.query<{ number: string }[]>(
    'SELECT number FROM invoices WHERE number IS NOT NULL ORDER BY number',
  )
  const expected = rows.map((_, index) => `INV-2026-${String(index + 1).padStart(6, '0')}`)
  expect(rows.map(({ number }) => number)).toEqual(expected)
}
