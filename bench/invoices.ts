// Bills a month for 200 and for 2,000 partners with 100 charges each. Measures time and memory, and whether the time
// per partner grows.
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

const sizes = [200, 2_000]
const chargesEach = 100

export async function measureInvoices(system: System, print: (lines: readonly string[]) => void): Promise<void> {
  const month = previousMonth(londonMonthOf(systemClock.now()))
  const postgres = new Postgres({ connectionString: system.databaseUrl })
  await postgres.connect()
  const billed: Billed[] = []
  print([`A run over all partners, ${chargesEach} charges each, while some of the mails are sent`])
  try {
    for (const partners of sizes) {
      await addChargedPartners(postgres, { partners, chargesEach, month, name: `bench-${partners}` })
      const done = await bill(system, { partners, month })
      print([row(done)])
      billed.push(done)
    }
  } finally {
    await postgres.end()
  }
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
}

async function bill(system: System, { partners, month }: { partners: number; month: Month }): Promise<Billed> {
  const client = connectClient(loadTemporalConfig(system.env))
  const memory = watchMemory(system)
  const startedAt = performance.now()
  const run = await client.workflow.start<typeof invoiceRun>('invoiceRun', {
    workflowId: `invoice-run/bench-${randomUUID()}`,
    taskQueue: housekeepingQueue,
    args: [{ period: month }],
  })
  const { issued, failed } = await run.result()
  const runMs = performance.now() - startedAt
  await client.connection.close()
  if (issued !== partners || failed > 0) throw new Error(`${issued} of ${partners} invoices were issued.`)
  return { partners, runMs, peakBytes: await memory.peak() }
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

function row({ partners, runMs, peakBytes }: Billed): string {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`.padStart(8)
  const each = `${(runMs / partners).toFixed(1)} ms each`
  const name = `${partners} partners, ${partners * chargesEach} charges`
  return `  ${name.padEnd(32)}${seconds(runMs)}   ${each}   worker at most ${Math.round(peakBytes / 1_000_000)} MB`
}
