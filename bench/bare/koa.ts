// The baseline for our own API: a bare Koa handler that runs the same single SELECT through pg.
import Koa from 'koa'
import { Pool } from 'pg'
import { environment } from '../../runtime/config/config'

const pool = new Pool({ connectionString: environment()['DATABASE_URL'], max: 10 })
const app = new Koa()

app.use(async (context) => {
  const { rows } = await (context.method === 'POST' ? byKey(context.get('Idempotency-Key')) : byId(context.path))
  context.body = rows[0]
})

function byId(path: string) {
  const id = path.split('/').at(-1)
  return pool.query({ name: 'payout', text: 'SELECT * FROM payouts WHERE id = $1', values: [id] })
}

function byKey(key: string) {
  const text = `SELECT * FROM payouts WHERE partner_id = $1 AND environment = 'sandbox' AND idempotency_key = $2`
  return pool.query({ name: 'payout-by-key', text, values: [environment()['PARTNER_ID'], key] })
}

const server = app.listen(Number(environment()['PORT']), '127.0.0.1', () => process.send?.({ ready: true }))
process.once('disconnect', () => server.close(() => process.exit(0)))
process.once('SIGTERM', () => process.exit(0))
