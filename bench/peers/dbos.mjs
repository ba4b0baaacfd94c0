// DBOS: a workflow in the API's own process, with the idempotency key as its ID. Transactions on the rows store their
// checkpoint in the same transaction, through its data source.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { PostgresDataSource } from '@dbos-inc/postgres-datasource'
import { claimSql, claimValues, pay, recordSql, serve } from './work.mjs'

const url = process.env.DATABASE_URL
const { hostname: host, port, username, password, pathname } = new URL(url)
const rows = new PostgresDataSource('rows', { host, port, username, password, database: pathname.slice(1), max: 10 })

const payout = DBOS.registerWorkflow(
  async (order) => {
    const id = await rows.runTransaction(() => claim(order), { name: 'claim' })
    const transferRef = await DBOS.runStep(() => pay(id), { name: 'pay', retriesAllowed: true, maxAttempts: 10 })
    await rows.runTransaction(() => run(recordSql, [id, transferRef]), { name: 'record' })
    return id
  },
  { name: 'payout' },
)

async function claim(order) {
  const [claimed] = await run(claimSql, claimValues(order))
  return claimed?.id ?? (await run('SELECT id FROM payouts WHERE key = $1', [order.key]))[0].id
}

function run(text, values) {
  return rows.client.unsafe(text, values, { prepare: true })
}

DBOS.setConfig({ name: 'compare', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false })
await DBOS.launch()
await serve(async (order) => {
  const handle = await DBOS.startWorkflow(payout, { workflowID: order.key })(order)
  // A repeated key returns the first result. Whether it was repeated would cost another query.
  return { id: await handle.getResult(), isNew: true, status: 'processing' }
})
