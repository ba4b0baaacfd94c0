// Measures POST /v1/payouts of a partner that pays occasionally, alone and alongside another partner that sends
// payouts continuously.
import { setTimeout as wait } from 'node:timers/promises'
import { runLoad } from '../load'
import { type Measured, measuredOf, medianOf, ratioOf } from '../measured'
import { openPartner } from '../system'
import { bodyFor, nextPayout } from './requests'
import type { Stage } from './stage'
import { untilConnected } from './wallets'

const rounds = 3
const seconds = 8
const pauseMs = 100
/** More than a worker runs concurrently, so that some wait in Temporal. */
const floodClients = 200
/** Limits the wait after a flood. */
const drainMs = 120_000

export async function measureFairness(stage: Stage): Promise<string[]> {
  const { port, system } = stage
  const { key } = openPartner(system, 'bench-quiet')
  await untilConnected(stage)
  await stage.gate('shut')
  const taken: { quiet: Measured[]; flooded: Measured[]; flood: Measured[] } = { quiet: [], flooded: [], flood: [] }
  for (let round = 0; round <= rounds; round++) {
    const quiet = await payNowAndThen(stage, key)
    const flooding = runLoad(
      { port, next: () => nextPayout([system.sandboxKey]).text, status: 201 },
      { clients: floodClients, seconds },
    )
    const flooded = await payNowAndThen(stage, key)
    const flood = await flooding
    await untilDecided(stage)
    // The first round is a warm-up.
    if (round === 0) continue
    taken.quiet.push(quiet)
    taken.flooded.push(flooded)
    taken.flood.push(flood)
  }
  await stage.gate('open')
  const ms = (measured: readonly Measured[]) =>
    `p50 ${medianOf(measured, 'p50Ms').toFixed(0)} ms, p99 ${medianOf(measured, 'p99Ms').toFixed(0)} ms`
  const ratio = (field: 'p50Ms' | 'p99Ms') => ratioOf(taken.flooded, taken.quiet, field).toFixed(2)
  return [
    `POST /v1/payouts of a partner with one client and pauses of ${pauseMs} ms, medians of ${rounds} alternating rounds:`,
    `  alone                                   ${ms(taken.quiet)}`,
    `  alongside ${floodClients} clients of another partner  ${ms(taken.flooded)}   (those: ${medianOf(taken.flood, 'perSecond').toFixed(0)}/s, ${ms(taken.flood)})`,
    `  p50 ${ratio('p50Ms')}, p99 ${ratio('p99Ms')} (aim: p99 at most 1.50)`,
  ]
}

/** The rest of a flood must not slow the next round's quiet measurement. */
async function untilDecided({ sql }: Stage): Promise<void> {
  const undecided = 'SELECT count(*)::int AS count FROM payouts WHERE verdict_at IS NULL AND released_at IS NULL'
  const deadline = performance.now() + drainMs
  for (;;) {
    const { rows } = await sql.query<{ count: number }>(undecided)
    const count = rows[0]?.count
    if (count === 0) return
    if (performance.now() > deadline) throw new Error(`${count} payouts of the flood have no verdict`)
    await wait(200)
  }
}

async function payNowAndThen({ port }: Stage, key: string): Promise<Measured> {
  const latenciesMs: number[] = []
  const startedAt = performance.now()
  for (let n = 0; performance.now() < startedAt + seconds * 1_000; n++) {
    const begunAt = performance.now()
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': `quiet-${process.pid}-${startedAt}-${n}`,
    }
    const body = JSON.stringify(bodyFor(n % 10))
    const answer = await fetch(`http://127.0.0.1:${port}/v1/payouts`, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    if (answer.status !== 201) throw new Error(`the payout request returned ${answer.status}`)
    latenciesMs.push(performance.now() - begunAt)
    await wait(pauseMs)
  }
  return measuredOf(latenciesMs, performance.now() - startedAt)
}
