// The setup for the payout benchmarks: an API that only accepts payouts, a worker for bare workflows, and control of
// the bank.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client as Temporal } from '@temporalio/client'
import { Client as Postgres } from 'pg'
import { choosePort } from '../../local/ports'
import { connectClient } from '../../runtime/temporal/client'
import { postText, runLoad } from '../load'
import { type System, startChild } from '../system'

export interface Stage {
  readonly system: System
  /**
   * The port of a second API that polls the bank once an hour, so that accepting is measured separately from
   * settling.
   */
  readonly port: number
  readonly temporal: Temporal
  readonly sql: Postgres
  /** With `shut`, transfers move only on command. With `open`, they move automatically, as with `npm start`. */
  readonly gate: (position: 'shut' | 'open') => Promise<void>
  readonly control: (method: string, path: string, body: object) => Promise<void>
  readonly untilAllClosed: () => Promise<void>
  close(): Promise<void>
}

export async function openStage(system: System): Promise<Stage> {
  const sql = new Postgres({ connectionString: system.databaseUrl })
  await sql.connect()
  const temporal = connectClient({ address: system.temporalAddress, namespace: 'default', tls: null, apiKey: null })
  const port = await choosePort(0)
  const accepting = { ...system.env, PORT: String(port), RATE_LIMIT: 'off', PAYOUT_POLL_MS: '3600000' }
  const [api, worker] = await Promise.all([
    startChild('api/main.js', accepting),
    startChild('bench/bare/worker.js', { TEMPORAL_ADDRESS: system.temporalAddress }),
  ])

  const control = async (method: string, path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${system.bankUrl}/_control${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`the bank's control plane answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  return {
    system,
    port,
    temporal,
    sql,
    control,
    gate: (position) => control('PUT', '/delays', { pending: position === 'shut' ? 3_600_000 : 400 }),
    async untilAllClosed() {
      while ((await openTransfers(sql)).length > 0) await wait(50)
    },
    async close() {
      await Promise.all([api.stop(), worker.stop()])
      await temporal.connection.close()
      await sql.end()
    },
  }
}

export async function openTransfers(sql: Postgres): Promise<string[]> {
  const { rows } = await sql.query<{ ref: string }>(
    `SELECT transfer_ref AS ref FROM payouts
      WHERE closed_at IS NULL AND released_at IS NULL AND environment = 'sandbox'`,
  )
  return rows.map(({ ref }) => ref)
}

/**
 * Measures the simulated bank alone, which is the upper limit of every measurement through it. Must run last, because
 * it leaves transfers at the bank that belong to no payout.
 */
export async function measureBank({ system, sql }: Stage): Promise<string[]> {
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
  const taken = await runLoad({ port, next, status: 201 }, { clients: 16, seconds: 1 })
  return [
    `The simulated bank alone takes ${taken.perSecond.toFixed(0)} transfers/s from 16 clients, p50 ${taken.p50Ms.toFixed(1)} ms`,
  ]
}
