// Compares a repeated request for a finished payout to a bare Koa handler that looks up the same row.
import { createServer } from 'node:net'
import { choosePort } from '../../local/ports'
import { runLoad } from '../load'
import { type Measured, medianOf, ratioOf } from '../measured'
import { startChild } from '../system'
import { payoutText } from './requests'
import type { Stage } from './stage'

const rounds = 4
const each = { clients: 16, seconds: 1.5 }

/** Uses the API that has made payouts before, because a process that has never called Temporal would be faster. */
export async function measureReplays({ system, port }: Stage): Promise<string[]> {
  const text = payoutText(`bench-replay-${process.pid}`, system.sandboxKey, 1)
  await runLoad({ port, next: () => text, status: 201 }, { clients: 1, seconds: 0 })
  const barePort = await choosePort(0)
  const about = { DATABASE_URL: system.databaseUrl, PARTNER_ID: system.partnerId }
  const bare = await startChild('bench/bare/koa.js', { ...about, PORT: String(barePort) })
  const taken: { ours: Measured[]; bare: Measured[] } = { ours: [], bare: [] }
  for (let round = 0; round <= rounds; round++) {
    const bareRound = await runLoad({ port: barePort, next: () => text, status: 200 }, each)
    const ourRound = await runLoad({ port, next: () => text, status: 200 }, each)
    if (round === 0) continue
    taken.bare.push(bareRound)
    taken.ours.push(ourRound)
  }
  const silent = await withSilentTemporal(system, { text, barePort })
  await bare.stop()
  const ratio = ratioOf(taken.ours, taken.bare, 'perSecond').toFixed(2)
  return [
    `Repeating the request of a finished payout, ${each.clients} clients, medians of ${rounds} rounds:`,
    row('bare Koa + one SELECT', taken.bare),
    row('ours, replayed', taken.ours),
    `  ratio of requests per second: ${ratio} (aim: at least 0.65)`,
    `  ratio with a Temporal server that never answers: ${silent.toFixed(2)}`,
  ]
}

/** An API that called Temporal for a replay would answer no request here. */
async function withSilentTemporal({ env }: Stage['system'], load: { text: string; barePort: number }): Promise<number> {
  const silent = createServer((socket) => socket.on('error', () => {}))
  const [port, temporalPort] = [await choosePort(0), await choosePort(0)]
  await new Promise<void>((resolve) => silent.listen(temporalPort, '127.0.0.1', resolve))
  const silently = { PORT: String(port), RATE_LIMIT: 'off', TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}` }
  const api = await startChild('api/main.js', { ...env, ...silently })
  const next = () => load.text
  const takeRound = (on: number, seconds: number) => runLoad({ port: on, next, status: 200 }, { ...each, seconds })
  // The API checks Temporal once when it starts. On Node 20, every promise is slower until that call has ended.
  await takeRound(port, startupCheckSeconds)
  const bares: Measured[] = []
  const ours: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    bares.push(await takeRound(load.barePort, each.seconds))
    ours.push(await takeRound(port, each.seconds))
  }
  await api.stop()
  silent.close()
  return ratioOf(ours, bares, 'perSecond')
}

const startupCheckSeconds = 6

function row(name: string, taken: readonly Measured[]): string {
  const of = (field: keyof Measured) => medianOf(taken, field)
  const perSecond = of('perSecond').toFixed(0).padStart(6)
  return `  ${name.padEnd(24)}${perSecond}/s   p50 ${of('p50Ms').toFixed(2)} ms   p95 ${of('p95Ms').toFixed(2)} ms`
}
