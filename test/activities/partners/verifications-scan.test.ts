// The daily scan restarts stuck verification workflows, as the sweep restarts stuck payout workflows.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { beginVerification } from '../../../db/partners/verification'
import { systemClock } from '../../../runtime/clock'
import { housekeepingQueue, ofSystem, verificationId } from '../../../workflows/names'
import { aPartner } from '../../support/api/fixtures'
import { type Json, keys } from '../../support/bank/client'
import { type AWorker, aWorker, silenceTemporal, testActivities } from '../../support/temporal/a-worker'

let worker: AWorker
/** The prefix of a queue that no worker polls, so that the test can act as the worker. */
let queuePrefix: string
let scanning: ReturnType<typeof testActivities>

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: systemClock })
  queuePrefix = `${worker.queuePrefix}-nobody`
  // This bank is never called, because no worker runs the workflows.
  const bank = { sandbox: null, live: { url: 'http://127.0.0.1:1/v0', key: keys.live } }
  scanning = testActivities({ ...worker, queuePrefix, bank, clock: systemClock })
})

afterAll(async () => {
  scanning.close()
  await worker.stop()
  await worker.dispose()
})

test('a workflow is restarted after repeated replay failures, but not after a single one', async () => {
  const { id } = await aPartner({ db: worker.db, clock: systemClock }, { verificationStatus: 'not_started' })
  await worker.db.transaction((tx) => beginVerification(tx, id, systemClock.now()))
  const handle = worker.client.workflow.getHandle(verificationId(id))
  expect(await scan()).toBe(1)
  const first = (await handle.describe()).runId

  await failTask()
  expect(await scan()).toBe(0)
  await failTask()
  expect(await scan()).toBe(1)

  expect((await handle.describe()).runId).not.toBe(first)
  await handle.terminate()
})

async function scan(): Promise<number> {
  return (await scanning.activities.startVerifications({ after: null, limit: 50 })).started
}

const historyDisagrees: Json = 24

/** Polls the next workflow task and fails it, like a worker that cannot replay the history. */
async function failTask(): Promise<void> {
  const { workflowService } = worker.client
  const about = { namespace: 'default', identity: 'test' }
  const taskQueue = { name: ofSystem(housekeepingQueue, queuePrefix) }
  const { taskToken } = await workflowService.pollWorkflowTaskQueue({ ...about, taskQueue })
  await workflowService.respondWorkflowTaskFailed({ ...about, taskToken, cause: historyDisagrees })
}
