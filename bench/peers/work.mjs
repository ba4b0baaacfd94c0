// The work that every peer does, so that they differ only in how they run it: check the request, claim the key, debit
// the ledger, pay at the bank, and store the transfer.
import Koa from 'koa'
import { Pool } from 'pg'

const { BANK_BODY, BANK_KEY, BANK_URL, DATABASE_URL, NAME, PORT } = process.env

export const pool = new Pool({ connectionString: DATABASE_URL, max: 10 })

export const claimSql = `
  WITH claimed AS (
    INSERT INTO payouts (id, key, amount_pence, recipient) VALUES (gen_random_uuid(), $1, $2, $3::text::jsonb)
      ON CONFLICT (key) DO NOTHING RETURNING id, amount_pence
  ), debited AS (
    UPDATE wallets SET balance_pence = balance_pence - amount_pence FROM claimed WHERE wallets.id = 1
  )
  INSERT INTO ledger_entries (payout_id, account, amount_pence)
    SELECT claimed.id, account, sign * amount_pence FROM claimed, (VALUES ('wallet', -1), ('in_transit', 1)) AS sides (account, sign)
    RETURNING payout_id AS id`

export const recordSql = `
  UPDATE payouts SET status = 'processing', transfer_ref = $2, paid_at = clock_timestamp()
    WHERE id = $1 AND transfer_ref IS NULL`

/** The values of claimSql. */
export const claimValues = ({ key, amountPence, recipient }) => [key, amountPence, JSON.stringify(recipient)]

/** Returns the ID of the new payout, or of the earlier one with the same key. */
export async function claim(order, sql = pool) {
  const { rows } = await sql.query({ name: 'claim', text: claimSql, values: claimValues(order) })
  if (rows[0]) return { id: rows[0].id, isNew: true }
  const earlier = await sql.query('SELECT id FROM payouts WHERE key = $1', [order.key])
  return { id: earlier.rows[0].id, isNew: false }
}

/** The bank pays once for each Idempotency-Key, so this is safe to repeat. */
export async function pay(id) {
  const response = await fetch(`${BANK_URL}/v0/transfers`, {
    method: 'POST',
    headers: { 'Api-Key': BANK_KEY, 'Idempotency-Key': id, 'Content-Type': 'application/json' },
    body: BANK_BODY.replace('PAYOUT_ID', `${NAME}/${id}`),
  })
  const transfer = await response.json()
  if (response.status !== 201) throw new Error(`The bank answered ${response.status}: ${JSON.stringify(transfer)}`)
  return transfer.id
}

export async function record(id, transferRef) {
  await pool.query({ name: 'record', text: recordSql, values: [id, transferRef] })
}

/** Serves POST requests. `create` returns the ID, and whether this request created the payout. */
export async function serve(create) {
  const app = new Koa()
  app.silent = true
  app.use(async (context) => {
    const order = readOrder(context.get('Idempotency-Key'), await bodyOf(context.req))
    if (order === null) return context.throw(422)
    const { id, isNew, status } = await create(order)
    context.status = isNew ? 201 : 200
    context.body = { id, status, amount_gbp: order.amountGbp }
  })
  app.listen(Number(PORT), '127.0.0.1', ready)
}

export function ready() {
  process.once('disconnect', () => process.exit(0))
  process.once('SIGTERM', () => process.exit(0))
  process.send?.({ ready: true })
}

async function bodyOf(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}

function readOrder(key, { amount_gbp: amountGbp, recipient }) {
  const { sort_code: sortCode, account_number: accountNumber } = recipient?.bank ?? {}
  const isValid =
    /^[A-Za-z0-9_:.-]{8,100}$/.test(key) &&
    /^\d{1,5}\.\d\d$/.test(amountGbp) &&
    /^\d{6}$/.test(sortCode) &&
    /^\d{8}$/.test(accountNumber)
  return isValid ? { key, amountGbp, amountPence: Number(amountGbp.replace('.', '')), recipient } : null
}
