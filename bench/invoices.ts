// Bills a month for 200 and for 2,000 partners with 100 charges each. Measures time, CPU time and memory, and whether
// the time per partner grows.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Client as Postgres } from 'pg'
import { londonMonthOf, type Month, previousMonth } from '../domain/month'
import { systemClock } from '../runtime/clock'
import { loadTemporalConfig } from '../runtime/config/config'
import { connectClient } from '../runtime/temporal/client'
import type { invoiceRun } from '../workflows'
import { housekeepingQueue } from '../workflows/names'
import { addChargedPartners } from './charged-partners'
import type { System } from './system'

const usualSizes = [200, 2_000]
const chargesEach = 100

export async function measureInvoices(
  system: System,
  print: (lines: readonly string[]) => void,
  sizes: readonly number[] = usualSizes,
): Promise<void> {
  const month = previousMonth(londonMonthOf(systemClock.now()))
  const postgres = new Postgres({ connectionString: system.databaseUrl })
  await postgres.connect()
  const billed: Billed[] = []
  print([`A run over all partners, ${chargesEach} charges each, while some of the emails are sent`])
  try {
    // Bills the demo partner, and warms up the worker.
    system.ops('invoices', 'run', '--period', month)
    for (const partners of sizes) {
      await addChargedPartners(postgres, { partners, chargesEach, month, name: `bench-${partners}` })
      const done = await bill(system, postgres, { partners, month })
      print(rowsOf(done))
      billed.push(done)
    }
  } finally {
    await postgres.end()
  }
  if (billed.length < 2) return
  const [small, large] = billed.map(({ runMs, partners }) => runMs / partners)
  const growth = (large ?? Number.NaN) / (small ?? Number.NaN)
  print([
    `  time per partner, ${sizes[1]} against ${sizes[0]} partners: ${growth.toFixed(2)} (aim: at most 1.00, which is linear)`,
  ])
}

interface Billed {
  readonly partners: number
  readonly runMs: number
  readonly peakBytes: number
  /** By part of the system. Empty where there is no /proc. */
  readonly cpuMs: Readonly<Record<string, number>>
  /** Committed transactions and bytes of WAL. Emails and Schedules add some. */
  readonly database: DatabaseWork
}

interface DatabaseWork {
  readonly commits: number
  readonly walBytes: number
}

async function bill(
  system: System,
  postgres: Postgres,
  { partners, month }: { partners: number; month: Month },
): Promise<Billed> {
  const client = connectClient(loadTemporalConfig(system.env))
  const memory = watchMemory(system)
  const [cpuBefore, databaseBefore] = [system.cpuMs(), await databaseWork(postgres)]
  const startedAt = performance.now()
  const run = await client.workflow.start<typeof invoiceRun>('invoiceRun', {
    workflowId: `invoice-run/bench-${randomUUID()}`,
    taskQueue: housekeepingQueue,
    args: [{ period: month }],
  })
  const { issued, failed } = await run.result()
  const runMs = performance.now() - startedAt
  const [cpuAfter, databaseAfter] = [system.cpuMs(), await databaseWork(postgres)]
  await client.connection.close()
  if (issued !== partners || failed > 0) throw new Error(`${issued} of ${partners} invoices were issued.`)
  return {
    partners,
    runMs,
    peakBytes: await memory.peak(),
    cpuMs: increase(cpuBefore, cpuAfter),
    database: {
      commits: databaseAfter.commits - databaseBefore.commits,
      walBytes: databaseAfter.walBytes - databaseBefore.walBytes,
    },
  }
}

function increase(before: Readonly<Record<string, number>> | null, after: typeof before): Record<string, number> {
  return Object.fromEntries(Object.entries(after ?? {}).map(([part, ms]) => [part, ms - (before?.[part] ?? 0)]))
}

async function databaseWork(postgres: Postgres): Promise<DatabaseWork> {
  const { rows } = await postgres.query(
    `SELECT xact_commit AS commits, pg_current_wal_lsn() - '0/0' AS wal_bytes
      FROM pg_stat_database WHERE datname = current_database()`,
  )
  return { commits: Number(rows[0]?.commits), walBytes: Number(rows[0]?.wal_bytes) }
}

function watchMemory(system: System): { peak(): Promise<number> } {
  let peakBytes = 0
  const done = new AbortController()
  const watched = (async () => {
    while (!done.signal.aborted) {
      peakBytes = Math.max(peakBytes, system.residentBytes('worker'))
      await wait(1_000)
    }
  })()
  return {
    async peak() {
      done.abort()
      await watched
      return peakBytes
    },
  }
}

function rowsOf({ partners, runMs, peakBytes, cpuMs, database }: Billed): string[] {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`.padStart(8)
  const each = (sum: number) => (sum / partners).toFixed(1)
  const name = `${partners} partners, ${partners * chargesEach} charges`
  const cpu = Object.entries(cpuMs).map(([part, ms]) => `${part} ${each(ms)}`)
  const { commits, walBytes } = database
  return [
    `  ${name.padEnd(32)}${seconds(runMs)}   ${each(runMs)} ms each   worker at most ${Math.round(peakBytes / 1_000_000)} MB`,
    `  CPU ms for each partner: ${cpu.join(', ')}; ${each(commits)} commits, ${each(walBytes / 1_000)} kB of WAL each`,
  ]
}
