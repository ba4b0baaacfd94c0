// An invoice reaches its partner's inbox once, with its PDF, however long the mail server is down.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addChargedPartners } from '../../../bench/charged-partners'
import { findInvoiceDocument } from '../../../db/invoices/invoices'
import { londonMonthOf, previousMonth } from '../../../domain/month'
import { choosePort } from '../../../local/ports'
import { invoicePdf } from '../../../mail/documents/invoice-pdf'
import { createMailer, type Mailer } from '../../../mail/mailer'
import { systemClock } from '../../../runtime/clock'
import type { invoice, invoiceMail } from '../../../workflows'
import { invoiceId, invoiceMailId } from '../../../workflows/names'
import { anInbox, type TestInbox } from '../../support/mail/an-inbox'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const period = previousMonth(londonMonthOf(systemClock.now()))
let smtpPort: number
let inbox: TestInbox | null = null
let mailer: Mailer
let worker: AWorker

silenceTemporal()

beforeAll(async () => {
  smtpPort = await choosePort(0)
  const from = { name: 'Payouts Test', address: 'billing@payouts.test' }
  mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${smtpPort}`, from, connectTimeoutMs: 1_000 })
  worker = await aWorker({ clock: systemClock, mailer })
})
afterAll(async () => {
  await worker.stop()
  await worker.dispose()
  mailer.close()
  await inbox?.remove()
})

test('an invoice is issued while the mail server is down, and emailed exactly once after the server is available again', async () => {
  await chargedPartner('late')

  const issued = await bill('late')
  const mailing = handleOf(issued.id)
  await until('an attempt has failed', async () => {
    const { raw } = await mailing.describe()
    return (raw.pendingActivities?.[0]?.attempt ?? 0) > 1
  })
  expect(issued).toMatchObject({ status: 'open', mailed_at: null })
  inbox = await anInbox({ smtpPort })

  expect(await mailing.result()).toBe('mailed')
  const [message, ...others] = await inbox.messages()
  expect(others).toEqual([])
  expect(message).toMatchObject({
    message_id: `<invoice-${issued.id}@payouts.test>`,
    envelope: { to: ['late-1@partners.test'] },
    subject: expect.stringContaining(issued.number),
  })
  const [pdf] = message?.attachments ?? []
  expect(pdf).toMatchObject({ name: `${issued.number}.pdf`, type: 'application/pdf' })
  const document = await findInvoiceDocument(worker.db, issued.partner_id, issued.id)
  expect(document && (await inbox.bytes(pdf?.path ?? '')).equals(await invoicePdf(document))).toBe(true)
  expect((await rowOf('late')).mailed_at).not.toBeNull()
})

test('an invoice that is marked as emailed is not emailed again', async () => {
  await chargedPartner('once')
  const { id } = await bill('once')
  await handleOf(id).result()
  const before = await subjects()

  const again = await worker.client.workflow.execute<typeof invoiceMail>('invoiceMail', {
    workflowId: invoiceMailId(id),
    taskQueue: worker.taskQueue,
    args: [{ invoiceId: id }],
  })

  expect(again).toBe('already')
  expect(await subjects()).toEqual(before)
})

test('an invoice whose email was sent but not recorded is marked later, and not emailed again', async () => {
  await chargedPartner('marked')
  await worker.db.dataSource.query(
    `CREATE FUNCTION refuse_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
     CREATE TRIGGER planted BEFORE UPDATE OF mailed_at ON invoices FOR EACH ROW EXECUTE FUNCTION refuse_mark()`,
  )

  const { id, number } = await bill('marked')
  await until('marking the invoice has failed twice', async () => {
    const { raw } = await handleOf(id).describe()
    const [pending] = raw.pendingActivities ?? []
    return pending?.activityType?.name === 'markMailed' && (pending.attempt ?? 0) > 2
  })
  await worker.db.dataSource.query('DROP TRIGGER planted ON invoices')

  expect(await handleOf(id).result()).toBe('mailed')
  expect((await subjects()).filter((subject) => subject.includes(number))).toHaveLength(1)
})

test.each([
  ['nobody', null],
  ['refused', 'not an address'],
])(
  'without a valid address (%s: %j), the workflow checks for a new one every day, and stops once the invoice is void',
  async (name, email) => {
    await chargedPartner(name)
    await worker.db.dataSource.query('UPDATE partners SET billing_email = $2 WHERE slug = $1', [`${name}-1`, email])
    const before = await subjects()

    const { id } = await bill(name)
    await until('it waits for an address', async () => {
      const { events } = await handleOf(id).fetchHistory()
      return events?.some(
        ({ timerStartedEventAttributes: timer }) => Number(timer?.startToFireTimeout?.seconds) === 86_400,
      )
    })
    await worker.db.dataSource.query(
      `UPDATE invoices SET status = 'void', voided_at = now(), void_reason = 'test' WHERE id = $1`,
      [id],
    )
    const whenVoid = await worker.client.workflow.execute<typeof invoiceMail>('invoiceMail', {
      workflowId: `${invoiceMailId(id)}/again`,
      taskQueue: worker.taskQueue,
      args: [{ invoiceId: id }],
    })

    expect(whenVoid).toBe('void')
    expect(await subjects()).toEqual(before)
  },
)

interface Row {
  readonly id: string
  readonly partner_id: string
  readonly number: string
  readonly status: string
  readonly mailed_at: Date | null
}

async function bill(name: string): Promise<Row> {
  const [partner] = await worker.db.dataSource.query<{ id: string }[]>('SELECT id FROM partners WHERE slug = $1', [
    `${name}-1`,
  ])
  await worker.client.workflow.execute<typeof invoice>('invoice', {
    workflowId: invoiceId(partner?.id ?? '', period),
    taskQueue: worker.taskQueue,
    args: [{ partnerId: partner?.id ?? '', period }],
  })
  return rowOf(name)
}

async function rowOf(name: string): Promise<Row> {
  const [row] = await worker.db.dataSource.query<Row[]>(
    'SELECT invoices.* FROM invoices JOIN partners ON partners.id = partner_id WHERE slug = $1',
    [`${name}-1`],
  )
  if (row === undefined) throw new Error(`${name} has no invoice`)
  return row
}

function handleOf(id: string) {
  return worker.client.workflow.getHandle<typeof invoiceMail>(invoiceMailId(id))
}

async function subjects(): Promise<string[]> {
  return ((await inbox?.messages()) ?? []).map(({ subject }) => subject)
}

function chargedPartner(name: string): Promise<void> {
  return addChargedPartners(worker.db.dataSource, { partners: 1, chargesEach: 4, month: period, name })
}
