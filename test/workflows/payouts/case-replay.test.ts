// Each path of a case's workflow runs once, and ends when the case is resolved. Its history replays, and contains no
// personal data. RECORD_HISTORIES=1 records the histories again. Use it only after a change that does not affect
// running workflows.
import { expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { type CaseRow, findCase, openCase } from '../../../db/payouts/cases/cases'
import { resolveCase } from '../../../db/payouts/cases/resolve'
import { systemClock } from '../../../runtime/clock'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import type { payoutCase, sweep } from '../../../workflows'
import { caseResolvedSignal } from '../../../workflows/names'
import { starts } from '../../../workflows/starts'
import { aPartner, aPayoutRow } from '../../support/api/fixtures'
import { keptLog } from '../../support/kept-logs'
import { useWorker } from '../../support/temporal/a-worker'
import { type Paths, payloadsOf, replayed } from '../../support/temporal/replayed'
import { until } from '../../support/until'

const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })
const worker = useWorker({ clock: systemClock, log })

/** The functions that run the paths, by the names of the recordings. */
const paths: Paths = {
  async 'payout-case/resolved'() {
    const { caseId, handle } = await aFollowedCase({ dueInMs: 3_600_000 })
    await handle.signal(caseResolvedSignal)
    await until('an early wake-up is checked', async () => (await checks(handle)) === 1)
    await resolve(caseId)
    await handle.signal(caseResolvedSignal)
    return handle
  },
  async 'payout-case/overdue'() {
    const { caseId, handle } = await aFollowedCase({ dueInMs: 50 })
    await until('the late case was reported', async () => (await findCase(worker.db, caseId))?.overdueAt)
    await resolve(caseId)
    await handle.signal(caseResolvedSignal)
    return handle
  },
  async 'payout-case/word-lost'() {
    const { caseId, handle } = await aFollowedCase({ dueInMs: 50, lookEveryMs: 200 })
    await until('the late case was reported', async () => (await findCase(worker.db, caseId))?.overdueAt)
    await resolve(caseId)
    return handle
  },
}
const names = Object.keys(paths)

const fresh = replayed(paths, { endsAs: 'COMPLETED' })

test.each(names)('the history of %s contains no personal data and no reason', (name) => {
  const text = payloadsOf(fresh.get(name))

  expect(text).toContain('dueInMs')
  expect(text).not.toMatch(/Lovelace|canary|ops:/)
})

test('only late cases are reported', () => {
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array(2).fill(expect.stringContaining('overdue')))
})

test('a late case without a workflow is reported by the sweep', async () => {
  await requireSearchAttributes(worker.client, wantedAttributes)
  const { id } = await aCase(1)

  await worker.client.workflow.execute<typeof sweep>('sweep', {
    workflowId: `${worker.queuePrefix}-sweep`,
    taskQueue: worker.taskQueue,
    args: [{ pageSize: 10, pages: 100 }],
  })

  expect(lines.map((line) => JSON.parse(line).case_id)).toContain(id)
  expect((await findCase(worker.db, id))?.overdueAt).not.toBeNull()
})

async function aFollowedCase({ dueInMs, lookEveryMs }: { dueInMs: number; lookEveryMs?: number }) {
  const opened = await aCase(dueInMs)
  const { args, ...options } = starts.payoutCase(opened, worker)
  const order = { ...args[0], ...(lookEveryMs === undefined ? {} : { lookEveryMs }) }
  const handle = await worker.client.workflow.start<typeof payoutCase>('payoutCase', { ...options, args: [order] })
  return { caseId: opened.id, handle }
}

async function aCase(dueInMs: number): Promise<CaseRow> {
  const stage = { db: worker.db, clock: systemClock }
  const { id: payoutId } = await aPayoutRow(stage, await aPartner(stage), { environment: 'live' })
  const openedAt = systemClock.now()
  const about = { payoutId, kind: 'recall', reason: 'canary', openedBy: 'ops:ada', openedAt } as const
  const opened = await worker.db.transaction((tx) =>
    openCase(tx, { ...about, dueAt: new Date(openedAt.getTime() + dueInMs) }),
  )
  if (opened.outcome !== 'opened') throw new Error(opened.outcome)
  return opened.case
}

const end = { outcome: 'refused', costMicropounds: 0n, note: null, by: 'ops:grace' } as const
const resolve = (caseId: string) => resolveCase({ db: worker.db, clock: systemClock }, { caseId, ...end })

async function checks(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory()
  return (events ?? []).filter((event) => event.activityTaskCompletedEventAttributes).length
}
