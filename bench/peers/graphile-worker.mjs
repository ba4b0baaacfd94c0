// graphile-worker: the API adds the job in the transaction that writes the rows, as its documentation advises, and
// answers at once. A worker in a process of its own pays.
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { claim, pay, pool, ready, record, serve } from './work.mjs'

const roles = { api: serveApi, worker: runWorker }

async function serveApi() {
  await serve(async (order) => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const { id, isNew } = await claim(order, client)
      if (isNew) await client.query(`SELECT graphile_worker.add_job('pay', json_build_object('id', $1::text))`, [id])
      await client.query('COMMIT')
      return { id, isNew, status: 'pending' }
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  })
}

/** Batches as the documentation on performance suggests: a local queue of one job more than run at the same time. */
async function runWorker() {
  const connectionString = process.env.DATABASE_URL
  const utils = await makeWorkerUtils({ connectionString })
  await utils.migrate()
  await utils.release()
  const batching = { localQueue: { size: 17 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
  const runner = await run({
    preset: { worker: { connectionString, concurrentJobs: 16, maxPoolSize: 10, ...batching } },
    noHandleSignals: true,
    taskList: { pay: async ({ id }) => record(id, await pay(id)) },
    // Its default logger prints two lines for each job.
    logger: new Logger(() => () => {}),
  })
  ready()
  await runner.promise
}

await roles[process.argv[2]]()
