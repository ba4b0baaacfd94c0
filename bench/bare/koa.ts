// The baseline for our own API: a bare Koa handler that runs one SELECT of the same rows through pg.
import Koa from 'koa'
import { Pool } from 'pg'
import { environment } from '../../runtime/config/config'

const pool = new Pool({ connectionString: environment()['DATABASE_URL'], max: 10 })
const app = new Koa()

app.use(async (context) => {
  const { method, path } = context
  if (method === 'GET' && path === '/v1/payouts') {
    context.body = (await firstPage()).rows
    return
  }
  const { rows } = await (method === 'POST' ? byKey(context.get('Idempotency-Key')) : one(path))
  context.body = rows[0]
})

function one(path: string) {
  return path === '/v1/balance' ? wallet() : byId(path)
}

function byId(path: string) {
  const id = path.split('/').at(-1)
  return pool.query({ name: 'payout', text: 'SELECT * FROM payouts WHERE id = $1', values: [id] })
}

function byKey(key: string) {
  const text = `SELECT * FROM payouts WHERE partner_id = $1 AND environment = 'sandbox' AND idempotency_key = $2`
  return pool.query({ name: 'payout-by-key', text, values: [environment()['PARTNER_ID'], key] })
}

/** Selects only the columns that our own response contains. */
function firstPage() {
  const text = `SELECT id, environment, status, reference, country, amount_pence, fee_pence, fee_in_transfer_pence,
      wallet_sends_micro_usdc, recipient_name, account_last4, failure_reason, created_at, updated_at, completed_at,
      created_via, idempotency_key
    FROM payouts WHERE partner_id = $1 AND environment = 'sandbox' ORDER BY created_at DESC, id DESC LIMIT 50`
  return pool.query({ name: 'first-page', text, values: [environment()['PARTNER_ID']] })
}

function wallet() {
  const text = `SELECT * FROM wallets WHERE partner_id = $1 AND environment = 'sandbox'`
  return pool.query({ name: 'wallet', text, values: [environment()['PARTNER_ID']] })
}

const server = app.listen(Number(environment()['PORT']), '127.0.0.1', () => process.send?.({ ready: true }))
process.once('disconnect', () => server.close(() => process.exit(0)))
process.once('SIGTERM', () => process.exit(0))
