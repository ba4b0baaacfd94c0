// Measures the simulated bank alone, which is the upper limit of every measurement through it.
import { randomUUID } from 'node:crypto'
import { load, postText } from '../load'
import type { Stage } from './stage'

/** Leaves transfers at the bank that no payout knows, so nothing is measured after it. */
export async function bankSpeed({ system, sql }: Stage): Promise<string[]> {
  const { rows } = await sql.query<{ body: string; payoutId: string }>(
    `SELECT bank_body AS body, id AS "payoutId" FROM payouts WHERE bank_body IS NOT NULL AND partner_id = $1
      ORDER BY created_at DESC LIMIT 1`,
    [system.partnerId],
  )
  const { body = '', payoutId = '' } = rows[0] ?? {}
  const headers = { 'Api-Key': system.env['BANK_SANDBOX_KEY'] ?? '' }
  const next = () => {
    const another = body.replaceAll(payoutId, randomUUID())
    return postText({ path: '/v0/transfers', headers: { ...headers, 'Idempotency-Key': randomUUID() } }, another)
  }
  const port = Number(new URL(system.bankUrl).port)
  const taken = await load({ port, next, status: 201 }, { clients: 16, seconds: 1 })
  return [
    `The simulated bank alone takes ${taken.perSecond.toFixed(0)} transfers/s from 16 clients, p50 ${taken.p50Ms.toFixed(1)} ms`,
  ]
}
