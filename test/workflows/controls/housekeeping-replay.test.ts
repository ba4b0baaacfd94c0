// Each path of a sweep and of connecting a sandbox runs once. Its history replays, and contains no personal data.
// RECORD_HISTORIES=1 records the histories again. Use it only after a change that does not affect running workflows.
import { beforeAll, expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { openPartner } from '../../../db/partners/open'
import { findWallet } from '../../../db/wallets/wallets'
import { systemClock } from '../../../runtime/clock'
import { startConnectSandbox } from '../../../runtime/temporal/workflows'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import type { sweep } from '../../../workflows'
import { connectSandboxId } from '../../../workflows/names'
import { accessTo, useSandboxBank } from '../../support/bank/client'
import { aPayout } from '../../support/db/a-payout'
import { useWorker } from '../../support/temporal/a-worker'
import { type Paths, payloadsOf, replayed } from '../../support/temporal/replayed'
import { until } from '../../support/until'

const approved = { status: 'approved', tos_status: 'approved' }
const bank = useSandboxBank({ fsync: 'off', sandboxKyc: 'manual' })
const worker = useWorker(() => ({ clock: systemClock, bank: { ...accessTo(bank), live: null } }))

/** The functions that run the paths, by the names of the recordings. */
const paths: Paths = {
  async 'connect-sandbox/connected'() {
    const partnerId = await aPartnerId('at-once')
    const link = { full_name: 'Acme Ltd', email: `${partnerId}@partners.invalid`, type: 'business' }
    const { json } = await bank.post('/kyc_links', { ...link, endorsements: ['base', 'faster_payments'] })
    await bank.control('POST', `/customers/${json.customer_id}/kyc`, approved)
    return connect(partnerId)
  },
  async 'connect-sandbox/waited'() {
    const partnerId = await aPartnerId('later')
    const wallet = await findWallet(worker.db, partnerId, 'sandbox')
    const payout = await aPayout(worker.db, {}, wallet)
    const handle = await connect(partnerId)
    await until('the bank was polled again', async () => (await scheduled(handle)).includes('checkSandboxCustomer'))
    const { json } = await bank.get(`/kyc_links?email=${partnerId}@partners.invalid`)
    await bank.control('POST', `/customers/${json.data[0].customer_id}/kyc`, approved)
    const isBusy = async () => (await scheduled(handle)).filter((name) => name === 'connectSandboxWallet').length > 1
    await until('the wallet was found busy', isBusy)
    await worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [payout.id])
    return handle
  },
  'sweep/in-turns': () => aSweep({ pageSize: 10, pages: 100 }),
  async 'sweep/in-turns-continued'() {
    const open = await aPayout(worker.db, {}, await findWallet(worker.db, await aPartnerId('swept'), 'sandbox'))
    const handle = await aSweep({ pageSize: 1, pages: 1 })
    await until('the first run has ended', async () => (await handle.describe()).status.name !== 'RUNNING')
    await worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [open.id])
    return handle
  },
}
const names = Object.keys(paths)

beforeAll(() => requireSearchAttributes(worker.client, wantedAttributes))

const fresh = replayed(paths)

test('an unfinished sweep continues as new', () => {
  expect(fresh.get('sweep/in-turns-continued')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW')
})

test.each(names)('the history of %s contains no personal data', (name) => {
  const text = payloadsOf(fresh.get(name))

  expect(text).toMatch(/partnerId|pageSize/)
  expect(text).not.toMatch(/Acme|ada@|Lovelace/)
})

async function aPartnerId(slug: string): Promise<string> {
  const about = { name: 'Acme Ltd', slug, email: 'ada@acme.test', createdBy: 'ops:grace' }
  const opened = await openPartner({ db: worker.db, clock: systemClock }, about)
  if (opened.outcome !== 'opened') throw new Error(opened.outcome)
  return opened.partner.id
}

async function connect(partnerId: string): Promise<WorkflowHandle> {
  await startConnectSandbox({ temporal: worker.client, queuePrefix: worker.queuePrefix }, partnerId)
  return worker.client.workflow.getHandle(connectSandboxId(partnerId))
}

async function aSweep(options: { pageSize: number; pages: number }): Promise<WorkflowHandle> {
  const workflowId = `${worker.queuePrefix}-sweep-${options.pages}`
  const { firstExecutionRunId } = await worker.client.workflow.start<typeof sweep>('sweep', {
    workflowId,
    taskQueue: worker.taskQueue,
    args: [options],
  })
  // Returns the first run, not the run that continues it.
  return worker.client.workflow.getHandle(workflowId, firstExecutionRunId)
}

async function scheduled(handle: WorkflowHandle): Promise<unknown[]> {
  const { events } = await handle.fetchHistory()
  return (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name)
}
