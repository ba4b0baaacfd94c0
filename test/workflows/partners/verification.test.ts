// A verification is durable and unique. It ends after the bank's decision, with or without events from the bank,
// and its history contains no personal data. RECORD_HISTORIES=1 records the histories again. Use it only after a
// change that does not affect running workflows.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/client'
import { findPartnerById } from '../../../db/partners/partners'
import { beginVerification } from '../../../db/partners/verification'
import { systemClock } from '../../../runtime/clock'
import type { verifications } from '../../../workflows'
import { bankSpokeSignal, verificationId } from '../../../workflows/names'
import { starts } from '../../../workflows/starts'
import { aPartner, changePartner } from '../../support/api/fixtures'
import { accessTo, type Json, useSandboxBank } from '../../support/bank/client'
import { withoutRandom } from '../../support/personal'
import { useWorker } from '../../support/temporal/a-worker'
import { type Paths, payloadsOf, replayed } from '../../support/temporal/replayed'
import { until } from '../../support/until'

const never = [86_400_000]
const quick = [20]
const yes = { status: 'approved', tos_status: 'approved' }
const rejected = { status: 'rejected', reason: 'The company could not be found.' }
const bank = useSandboxBank({ fsync: 'off', controlPort: 0 })
const worker = useWorker(() => ({ clock: systemClock, bank: { ...accessTo(bank), sandbox: null } }))

/** The functions that run the paths, by the names of the recordings. Most paths wait for forwarded bank events. */
const paths: Paths = {
  async 'verification/approved-at-once'() {
    return woken(await aBeginner(), yes)
  },
  async 'verification/asked-for-more'() {
    const partnerId = await aBeginner()
    const handle = await woken(partnerId, { status: 'incomplete' })
    await untilStatus(partnerId, 'action_required')
    await setBankStatus(partnerId, yes)
    await wake(partnerId, never)
    return handle
  },
  async 'verification/rejected'() {
    return woken(await aBeginner(), rejected)
  },
  async 'verification/tried-again'() {
    const partnerId = await aBeginner()
    await (await woken(partnerId, rejected)).result()
    await begin(partnerId)
    const again = await wake(partnerId, never)
    await untilPolled(partnerId)
    await setBankStatus(partnerId, yes)
    await wake(partnerId, never)
    return again
  },
  async 'verification/continued'() {
    const partnerId = await aBeginner()
    const handle = await wake(partnerId, quick, 2)
    await until('it continues as new', async () => (await handle.describe()).status.name !== 'RUNNING')
    await setBankStatus(partnerId, yes)
    return handle
  },
  'verifications/looked': () => scan({ pageSize: 50, pages: 10 }),
  async 'verifications/continued'() {
    const handle = await scan({ pageSize: 1, pages: 1 })
    await worker.client.workflow.getHandle(handle.workflowId).result()
    return handle
  },
}
const names = Object.keys(paths)

/** Starts a verification, and wakes it when the bank's status has changed. */
async function woken(partnerId: string, status: Json) {
  const handle = await wake(partnerId, never)
  await setBankStatus(partnerId, status)
  await wake(partnerId, never)
  return handle
}

const fresh = replayed(paths)

test.each(names)('the history of %s contains no personal data and no account', (name) => {
  const text = payloadsOf(fresh.get(name))

  expect(text).toMatch(/partnerId|pageSize/)
  expect(text).not.toMatch(/Acme|ada@|\.test|sort_?code|account_?number|0x[0-9a-f]{40}|could not be found/i)
  expect(withoutRandom(text)).not.toContain('040668')
})

test('a verification continues as new, and ends with the bank’s decision', () => {
  for (const name of ['verification', 'verifications']) {
    expect(fresh.get(`${name}/continued`)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW')
  }
  for (const name of ['approved-at-once', 'asked-for-more', 'rejected', 'tried-again']) {
    expect(fresh.get(`verification/${name}`)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED')
  }
})

test('a verification is approved through polling alone when no event arrives', async () => {
  const partnerId = await aBeginner()
  const handle = await wake(partnerId, quick)
  await setBankStatus(partnerId, { status: 'under_review' })
  await untilStatus(partnerId, 'in_review')
  await setBankStatus(partnerId, yes)

  expect(await handle.result()).toBe('approved')
  expect(await findPartnerById(worker.db, partnerId)).toMatchObject({ verificationStatus: 'approved' })
})

test('five concurrent starts create one run and one customer', async () => {
  const partnerId = await aBeginner()
  const runs = await Promise.all([1, 2, 3, 4, 5].map(() => wake(partnerId, quick)))
  await setBankStatus(partnerId, yes)
  await runs[0]?.result()

  expect(new Set(runs.map(({ signaledRunId }: Json) => signaledRunId)).size).toBe(1)
  const partner = await findPartnerById(worker.db, partnerId)
  const { json } = await bank.get(`/kyc_links?email=${partner?.contactEmail}`, { environment: 'live' })
  expect(json.data).toHaveLength(1)
})

test('a workflow ends, and sends nothing to the bank, if the API could not store the start', async () => {
  const { id, contactEmail } = await aPartner(
    { db: worker.db, clock: systemClock },
    { verificationStatus: 'not_started' },
  )

  expect(await (await wake(id, never)).result()).toBe('not_started')

  const { json } = await bank.get(`/kyc_links?email=${contactEmail}`, { environment: 'live' })
  expect(json.data).toEqual([])
})

test('a verification that the bank refuses ends as rejected, and can be approved after a retry with another email', async () => {
  const taken = await aBeginner()
  await wake(taken, never)
  await setBankStatus(taken, { status: 'incomplete' })
  const { contactEmail } = (await findPartnerById(worker.db, taken)) ?? {}
  const partnerId = await aBeginner()
  const change = (email: string | null = null) =>
    changePartner({ db: worker.db, clock: systemClock }, { id: partnerId }, { contactEmail: email })
  await change(contactEmail)
  expect(await (await wake(partnerId, never)).result()).toBe('rejected')

  await change(`other-${contactEmail}`)
  await begin(partnerId)
  const again = await wake(partnerId, quick)
  await setBankStatus(partnerId, yes)

  expect(await again.result()).toBe('approved')
  await worker.client.workflow.getHandle(verificationId(taken)).terminate()
})

test('an unavailable bank is retried until it is available again', async () => {
  const partnerId = await aBeginner()
  await bank.control('POST', '/outage', { ms: 600_000 })
  const handle = await wake(partnerId, quick)
  await until('a request to the bank has failed', async () => {
    const { raw } = await handle.describe()
    return (raw.pendingActivities?.[0]?.attempt ?? 0) > 1
  })

  await bank.control('DELETE', '/outage')
  await setBankStatus(partnerId, yes)
  expect(await handle.result()).toBe('approved')
})

test('after approval, an event restarts the workflow, which waits until the bank ends its pause', async () => {
  const partnerId = await aPaused()
  const again = await wake(partnerId, quick)
  await untilStatus(partnerId, 'in_review')
  await setBankStatus(partnerId, { status: 'approved' })

  expect(await again.result()).toBe('approved')
  const [charged] = await worker.db.dataSource.query(
    `SELECT count(*)::int AS times FROM charges WHERE partner_id = $1`,
    [partnerId],
  )
  expect(charged).toEqual({ times: 1 })
})

test('the nightly scan finds a verification that the bank paused without sending an event', async () => {
  const partnerId = await aPaused()

  await (await scan({ pageSize: 50, pages: 10 })).result()

  expect(await untilStatus(partnerId, 'in_review')).toBe(true)
})

test('the nightly scan restarts a missing verification workflow, does not wake a running one, and ignores all others', async () => {
  const [lost, running] = [await aBeginner(), await aBeginner()]
  const { id: other } = await aPartner({ db: worker.db, clock: systemClock }, { verificationStatus: 'not_started' })
  const handle = await wake(running, never)
  await untilPolled(running)
  const before = (await handle.fetchHistory()).events?.length

  await (await scan({ pageSize: 50, pages: 10 })).result()

  await untilPolled(lost)
  expect((await handle.fetchHistory()).events?.length).toBe(before)
  await expect(worker.client.workflow.getHandle(verificationId(other)).describe()).rejects.toThrow(
    WorkflowNotFoundError,
  )
  await handle.terminate()
})

test('the poll interval grows while the applicant does nothing, and an event from the bank resets it', async () => {
  const partnerId = await aBeginner()
  const handle = await wake(partnerId, [10, 30, 86_400_000])
  const timers = async () => {
    const { events } = await handle.fetchHistory()
    const started = (events ?? []).flatMap((event) => event.timerStartedEventAttributes?.startToFireTimeout ?? [])
    return started.map(({ seconds, nanos }) => Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6)
  }
  await until('it waits for a day', async () => (await timers()).length === 3)
  await wake(partnerId, never)
  await until('it waits for a day again', async () => (await timers()).length === 6)

  expect(await timers()).toEqual([10, 30, 86_400_000, 10, 30, 86_400_000])
  await handle.terminate()
})

async function scan(order: { pageSize: number; pages: number }) {
  const { workflowId, firstExecutionRunId } = await worker.client.workflow.start<typeof verifications>(
    'verifications',
    {
      workflowId: `${worker.queuePrefix}-verifications-${randomUUID()}`,
      taskQueue: worker.taskQueue,
      args: [order],
    },
  )
  // Returns the first run, not the run that continues it.
  return worker.client.workflow.getHandle<typeof verifications>(workflowId, firstExecutionRunId)
}

/** A partner that the bank approved and then paused. */
async function aPaused(): Promise<string> {
  const partnerId = await aBeginner()
  const first = await wake(partnerId, quick)
  await setBankStatus(partnerId, yes)
  await first.result()
  await setBankStatus(partnerId, { status: 'paused' })
  return partnerId
}

async function aBeginner(): Promise<string> {
  const { id } = await aPartner({ db: worker.db, clock: systemClock }, { verificationStatus: 'not_started' })
  await begin(id)
  return id
}

function begin(partnerId: string) {
  return worker.db.transaction((tx) => beginVerification(tx, partnerId, systemClock.now()))
}

async function wake(partnerId: string, pollMs: readonly number[], checks?: number) {
  const start = starts.verification(partnerId, { queuePrefix: worker.queuePrefix, pollMs })
  const [order] = start.args
  const options = { ...start, args: [checks === undefined ? order : { ...order, checks }], signal: bankSpokeSignal }
  const { signaledRunId } = await worker.client.workflow.signalWithStart('verification', options)
  // Follows the run that was signalled, not a later run that continues it.
  const handle = worker.client.workflow.getHandle(verificationId(partnerId), signaledRunId)
  return Object.assign(handle, { signaledRunId })
}

/** Sets the status once the bank has the customer. */
async function setBankStatus(partnerId: string, changes: Json): Promise<void> {
  const customer = await until('the customer is stored', async () => {
    const [row] = await worker.db.dataSource.query(
      `SELECT customer_ref AS ref FROM wallets WHERE partner_id = $1 AND environment = 'live'`,
      [partnerId],
    )
    return row.ref
  })
  await bank.control('POST', `/customers/${customer}/kyc`, changes)
}

function untilStatus(partnerId: string, status: string) {
  return until(status, async () => (await findPartnerById(worker.db, partnerId))?.verificationStatus === status)
}

async function untilPolled(partnerId: string): Promise<void> {
  const handle = worker.client.workflow.getHandle(verificationId(partnerId))
  await until('the bank was asked', async () => {
    const { events } = await handle.fetchHistory()
    return events?.some((event) => event.timerStartedEventAttributes)
  })
}
