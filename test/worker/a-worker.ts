// A worker in the test's own process, on a task queue and a database of its own.
import { randomBytes } from 'node:crypto'
import { Client } from '@temporalio/client'
import { createActivities } from '../../activities'
import type { Clock } from '../../clock'
import type { TemporalConfig } from '../../config'
import { type Db, openDatabase } from '../../db/database'
import { createLog } from '../../log'
import { connectWorker, installRuntime } from '../../worker/connect'
import { createWorker } from '../../worker/worker'
import { createDatabase } from '../setup/database'
import { testSystem } from '../setup/system'

export interface AWorker {
  readonly client: Client
  readonly db: Db
  readonly taskQueue: string
  /** Asks it to stop, and waits until nothing is under way any more. */
  stop(): Promise<void>
  /** Gives back what it used; only after stop. */
  dispose(): Promise<void>
}

export function testTemporal(): TemporalConfig {
  return { address: testSystem().temporalAddress, namespace: 'default', tls: false, apiKey: null }
}

/** Once in a test file, since a process has only one runtime. */
export function silenceTemporal(): void {
  installRuntime(createLog({ level: 'silent', name: 'test' }))
}

export async function aWorker(options: { clock: Clock; activityRetentionDays: number }): Promise<AWorker> {
  const database = await createDatabase()
  const db = await openDatabase({ url: database.url, poolSize: 3, onError: () => undefined })
  const connection = await connectWorker(testTemporal())
  const taskQueue = `test-${randomBytes(6).toString('hex')}`
  const worker = await createWorker({
    connection,
    namespace: 'default',
    taskQueue,
    workflowBundle: { codePath: testSystem().workflowBundlePath },
    activities: createActivities({ db, ...options }),
  })
  const stopped = worker.run()
  return {
    client: new Client({ connection }),
    db,
    taskQueue,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown()
      await stopped
    },
    dispose: async () => {
      await connection.close()
      await db.close()
      await database.drop()
    },
  }
}
