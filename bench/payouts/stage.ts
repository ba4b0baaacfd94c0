// What the payout benchmarks share: an API that only accepts, the bare workflows beside it, and the bank's gate.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client as Temporal } from '@temporalio/client'
import { Client as Postgres } from 'pg'
import { choosePort } from '../../local/ports'
import { connectClient } from '../../runtime/temporal/client'
import { startChild } from '../child'
import type { System } from '../system'

export interface Stage {
  readonly system: System
  /** An API beside the system's own that asks the bank only when told to, so that accepting can be measured apart from settling. */
  readonly port: number
  readonly temporal: Temporal
  readonly sql: Postgres
  /** Shut: no transfer moves until it is told to. Open: each moves along by itself, as the bank is set up by `npm start`. */
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
