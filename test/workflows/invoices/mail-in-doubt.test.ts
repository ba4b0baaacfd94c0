// A mail server accepts an invoice without confirming it. The workflow sends a few copies, far apart, and then
// leaves the decision to an operator.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addChargedPartners } from '../../../bench/charged-partners'
import { londonMonthOf, previousMonth } from '../../../domain/month'
import { createMailer, type Mailer } from '../../../mail/mailer'
import { systemClock } from '../../../runtime/clock'
import type { invoice, invoiceMail } from '../../../workflows'
import { invoiceId, invoiceMailId } from '../../../workflows/names'
import { keptLog } from '../../support/kept-logs'
import { aSlowServer } from '../../support/mail/a-slow-server'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const period = previousMonth(londonMonthOf(systemClock.now()))
const logged: string[] = []
let server: Awaited<ReturnType<typeof aSlowServer>>
let mailer: Mailer
let worker: AWorker
let id: string

silenceTemporal()

beforeAll(async () => {
  server = await aSlowServer(() => undefined)
  const from = { name: '', address: 'billing@payouts.test' }
  mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${server.port()}`, from, answerTimeoutMs: 200 })
  const log = keptLog({ level: 'info', write: (line: string) => void logged.push(line) })
  worker = await aWorker({ clock: systemClock, mailer, log })
  id = await issueOne()
})
afterAll(async () => {
  await worker.stop()
  await worker.dispose()
  mailer.close()
  await server.close()
})

test('after the first unconfirmed email, the workflow waits an hour before the next attempt', async () => {
  const mailing = worker.client.workflow.getHandle<typeof invoiceMail>(invoiceMailId(id))
  const events = await until('it waits', async () => {
    const history = (await mailing.fetchHistory()).events ?? []
    return history.some(({ timerStartedEventAttributes: timer }) => timer) ? history : null
  })

  const [timer] = events.flatMap(({ timerStartedEventAttributes: started }) => started ?? [])
  const [activity] = events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled ?? [])
  expect(Number(timer?.startToFireTimeout?.seconds)).toBe(3_600)
  expect(Number(activity?.heartbeatTimeout?.seconds)).toBe(60)
  expect(server.taken()).toBe(1)
  await mailing.terminate()
})

test('after the third unconfirmed email, the invoice is reported, is not marked as emailed, and is not emailed again', async () => {
  const before = server.taken()

  const mailed = await worker.client.workflow.execute<typeof invoiceMail>('invoiceMail', {
    workflowId: invoiceMailId(id),
    taskQueue: worker.taskQueue,
    args: [{ invoiceId: id, pauseInDoubtMs: 10 }],
  })

  expect(mailed).toBe('perhaps')
  expect(server.taken() - before).toBe(3)
  expect(logged.filter((line) => line.includes('may have been mailed') && line.includes(id))).not.toEqual([])
  expect(await worker.db.dataSource.query('SELECT mailed_at FROM invoices WHERE id = $1', [id])).toEqual([
    { mailed_at: null },
  ])
})

async function issueOne(): Promise<string> {
  const name = 'doubt'
  await addChargedPartners(worker.db.dataSource, { partners: 1, chargesEach: 4, month: period, name })
  const [partner] = await worker.db.dataSource.query<{ id: string }[]>('SELECT id FROM partners')
  await worker.client.workflow.execute<typeof invoice>('invoice', {
    workflowId: invoiceId(partner?.id ?? '', period),
    taskQueue: worker.taskQueue,
    args: [{ partnerId: partner?.id ?? '', period }],
  })
  const [issued] = await worker.db.dataSource.query<{ id: string }[]>('SELECT id FROM invoices')
  return issued?.id ?? ''
}
