// A worker's day: wait for its servers, put the Schedules in place, work until asked to stop, let go in order.

import { Client } from '@temporalio/client'
import { createActivities } from '../activities'
import { systemClock } from '../clock'
import type { Config } from '../config'
import { openDatabase } from '../db/database'
import type { Log } from '../log'
import { housekeepingQueue } from '../workflows/names'
import { bundlePath } from './bundle-path'
import { connectWorker, installRuntime } from './connect'
import { patiently } from './patience'
import { pruneActivitySchedule, putSchedule } from './schedules'
import { requireSchema } from './schema'
import { createWorker } from './worker'

/** Resolves when the signal has stopped it and nothing is under way any more. */
export async function runWorker(config: Config, log: Log, signal: AbortSignal, onReady: () => void): Promise<void> {
  const { address, namespace } = config.temporal
  const postgres = `PostgreSQL at ${new URL(config.databaseUrl).host}`
  const temporal = `Temporal at ${address}`
  const patience = { log, signal }
  installRuntime(log)

  const db = await patiently(postgres, () => openWorkersDatabase(config, log), patience)
  await requireSchema(db)
  const connection = await patiently(temporal, () => connectWorker(config.temporal), patience)
  const client = new Client({ connection, namespace })
  await patiently(temporal, () => putSchedule(client, pruneActivitySchedule), patience)

  const worker = await createWorker({
    connection,
    namespace,
    taskQueue: housekeepingQueue,
    workflowBundle: { codePath: bundlePath },
    activities: createActivities({ db, clock: systemClock, activityRetentionDays: config.activityRetentionDays }),
  })
  await worker.runUntil(async () => {
    onReady()
    await aborted(signal)
  })
  await connection.close()
  await db.close()
}

function openWorkersDatabase({ databaseUrl, databasePoolSize }: Config, log: Log): ReturnType<typeof openDatabase> {
  const onError = (error: Error) => log.warn({ err: error }, 'a database connection was lost')
  return openDatabase({ url: databaseUrl, poolSize: databasePoolSize, onError })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
}
