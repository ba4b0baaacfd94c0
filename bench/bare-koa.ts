// What our own API is measured against: a bare Koa handler that does the same one SELECT through pg, and nothing else.
import Koa from 'koa'
import { Pool } from 'pg'
import { environment } from '../config'

const pool = new Pool({ connectionString: environment()['DATABASE_URL'], max: 10 })
const app = new Koa()

app.use(async (context) => {
  const id = context.path.split('/').at(-1)
  const { rows } = await pool.query({ name: 'payout', text: 'SELECT * FROM payouts WHERE id = $1', values: [id] })
  context.body = rows[0]
})

const server = app.listen(Number(environment()['PORT']), '127.0.0.1', () => process.send?.({ ready: true }))
process.once('disconnect', () => server.close(() => process.exit(0)))
process.once('SIGTERM', () => process.exit(0))
