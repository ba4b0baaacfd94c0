// Running billing workflows must be able to finish after an update, so a fresh history of every path must replay.
// RECORD_HISTORIES=1 records paths that have no recording yet. It never overwrites a recording, because running
// workflows still have that history. `../replay.test.ts` replays the recordings.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { addChargedPartners } from '../../../bench/charged-partners'
import { createMailer, type Mailer } from '../../../mail/mailer'
import { resultIn } from '../../../ops/invoices/follow-run'
import type { InvoiceRunOrder } from '../../../workflows/invoices/run'
import { invoiceMailId } from '../../../workflows/names'
import { testSystem } from '../../support/jest/system'
import { aSlowServer } from '../../support/mail/a-slow-server'
import { anInbox, type TestInbox } from '../../support/mail/an-inbox'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { asRecorded } from '../../support/temporal/payout-paths'
import { until } from '../../support/until'

const period = '2026-10'
const clock = { now: () => new Date('2026-11-15T12:00:00.000Z') }
const fresh = new Map<string, string>()
let inbox: TestInbox
let mailer: Mailer
let worker: AWorker

silenceTemporal()

beforeAll(async () => {
  inbox = await anInbox()
  mailer = createMailer({ smtpUrl: inbox.smtpUrl, from: { name: '', address: 'billing@payouts.test' } })
  worker = await aWorker({ clock, mailer })
  for (const [name, take] of Object.entries(paths)) fresh.set(name, await asRecorded(await take()))
  if (process.env['RECORD_HISTORIES'] === '1') record()
})
afterAll(async () => {
  await worker.stop()
  await worker.dispose()
  mailer.close()
  await inbox.remove()
})

const paths: Readonly<Record<string, () => Promise<WorkflowHandle>>> = {
  async 'invoice-run/in-batches'() {
    await chargedPartners('completed', 3)
    return run({ period })
  },
  async 'invoice-run/in-batches-continued'() {
    await chargedPartners('continued', 3)
    // Returns the run that continued as new.
    const { workflowId } = await run({ period, pageSize: 2 })
    const { events } = await handleOf(workflowId).fetchHistory()
    const before = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId
    return worker.client.workflow.getHandle(workflowId, before ?? '')
  },
  async 'invoice-run/in-batches-one-failed'() {
    await chargedPartners('failed', 2)
    const bad = await partnerId('failed-1')
    await query(`ALTER TABLE invoices ADD CONSTRAINT planted CHECK (partner_id <> '${bad}') NOT VALID`)
    const ended = await run({ period })
    await query('ALTER TABLE invoices DROP CONSTRAINT planted')
    return ended
  },
  async 'invoice-run/in-batches-postponed'() {
    await chargedPartners('postponed', 2)
    await query('CREATE SEQUENCE tries')
    await query(`CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('tries') > 1 THEN RETURN NEW; END IF;
      RAISE EXCEPTION 'try again' USING ERRCODE = 'lock_not_available'; END $$`)
    await query('CREATE TRIGGER planted BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION refuse_once()')
    const ended = await run({ period })
    await query('DROP FUNCTION refuse_once() CASCADE')
    return ended
  },
  async 'invoice/issued'() {
    await chargedPartners('alone', 1)
    return ended('invoice', { partnerId: await partnerId('alone-1'), period })
  },
  async 'invoice/already'() {
    return ended('invoice', { partnerId: await partnerId('completed-2'), period })
  },
  async 'invoice/nothing'() {
    const id = await partnerId('completed-3')
    await query(`UPDATE partners SET live_opened_at = NULL WHERE id = '${id}'`)
    return ended('invoice', { partnerId: id, period: '2026-09' })
  },
  async 'invoice-mail/mailed'() {
    const mail = handleOf(invoiceMailId(await invoiceOf('completed-1')))
    await mail.result()
    return mail
  },
  async 'invoice-mail/nobody'() {
    await chargedPartners('nobody', 1)
    await query(`UPDATE partners SET billing_email = NULL WHERE slug = 'nobody-1'`)
    await run({ period })
    return waiting(await invoiceOf('nobody-1'))
  },
  async 'invoice-mail/perhaps'() {
    await chargedPartners('perhaps', 1)
    const server = await aSlowServer((socket) => socket.destroy())
    const from = { name: '', address: 'billing@payouts.test' }
    const doubtful = createMailer({ smtpUrl: `smtp://127.0.0.1:${server.port()}`, from })
    const other = await aWorker({ clock, databaseUrl: worker.databaseUrl, mailer: doubtful })
    await ended('invoice', { partnerId: await partnerId('perhaps-1'), period }, other.taskQueue)
    const mail = await waiting(await invoiceOf('perhaps-1'))
    await other.stop()
    await other.dispose()
    doubtful.close()
    await server.close()
    return mail
  },
}

/** Waits until the workflow has started a timer. */
async function waiting(invoice: string): Promise<WorkflowHandle> {
  const mail = handleOf(invoiceMailId(invoice))
  await until('it waits', async () => {
    const { events } = await mail.fetchHistory()
    return events?.some(({ timerStartedEventAttributes: timer }) => timer)
  })
  return mail
}

test.each(Object.keys(paths))('a fresh history of %s replays, and contains no personal data', async (name) => {
  const history = fresh.get(name) ?? ''
  const workflowBundle = { codePath: testSystem().workflowBundlePath }

  await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(history))).resolves.toBeUndefined()
  const text = history.replaceAll(/"data": ?"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString())
  for (const canary of [/Partner \d/, /partners\.test/, /Payouts Test/]) expect(text).not.toMatch(canary)
})

function record(): void {
  for (const [name, history] of fresh) {
    const file = join(__dirname, '../../histories', `${name}.json`)
    mkdirSync(join(file, '..'), { recursive: true })
    if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(JSON.parse(history), null, 2)}\n`)
  }
}

function run(order: InvoiceRunOrder): Promise<WorkflowHandle> {
  return ended('invoiceRun', order)
}

async function ended(workflow: string, order: unknown, taskQueue = worker.taskQueue): Promise<WorkflowHandle> {
  const workflowId = `${workflow}-${randomUUID()}`
  const handle = await worker.client.workflow.start(workflow, {
    workflowId,
    taskQueue,
    args: [order],
  })
  // A run that could not bill a partner fails, and its failure contains the result.
  await handle.result().catch((error: unknown) => {
    if (resultIn(error) === null) throw error
  })
  return handleOf(workflowId)
}

function handleOf(workflowId: string): WorkflowHandle {
  return worker.client.workflow.getHandle(workflowId)
}

function chargedPartners(name: string, partners: number): Promise<void> {
  return addChargedPartners(worker.db.dataSource, { partners, chargesEach: 2, month: period, name })
}

function query<Row>(sql: string): Promise<Row[]> {
  return worker.db.dataSource.query(sql)
}

async function partnerId(slug: string): Promise<string> {
  const [row] = await query<{ id: string }>(`SELECT id FROM partners WHERE slug = '${slug}'`)
  return row?.id ?? ''
}

async function invoiceOf(slug: string): Promise<string> {
  const [row] = await query<{ id: string }>(
    `SELECT invoices.id FROM invoices JOIN partners ON partners.id = partner_id WHERE slug = '${slug}'`,
  )
  return row?.id ?? ''
}
