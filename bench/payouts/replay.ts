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
  await bare.stop()
  const alone = await withSilentTemporal(system, text)
  const ratio = ratioOf(taken.ours, taken.bare, 'perSecond').toFixed(2)
  return [
    `Repeating the request of a finished payout, ${each.clients} clients, medians of ${rounds} rounds:`,
    row('bare Koa + one SELECT', taken.bare),
    row('ours, replayed', taken.ours),
    `  ratio of requests per second: ${ratio} (aim: at least 0.60)`,
    `  with a Temporal server that never answers, in a fresh process: ${alone.perSecond.toFixed(0)}/s`,
  ]
}

/** An API that called Temporal for a replay would answer no request here. */
async function withSilentTemporal({ env }: Stage['system'], text: string): Promise<Measured> {
  const silent = createServer((socket) => socket.on('error', () => {}))
  const [port, temporalPort] = [await choosePort(0), await choosePort(0)]
  await new Promise<void>((resolve) => silent.listen(temporalPort, '127.0.0.1', resolve))
  const silently = { PORT: String(port), RATE_LIMIT: 'off', TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}` }
  const api = await startChild('api/main.js', { ...env, ...silently })
  const taken = await runLoad({ port, next: () => text, status: 200 }, { clients: each.clients, seconds: 0.5 })
  await api.stop()
  silent.close()
  return taken
}

function row(name: string, taken: readonly Measured[]): string {
  const of = (field: keyof Measured) => medianOf(taken, field)
  const perSecond = of('perSecond').toFixed(0).padStart(6)
  return `  ${name.padEnd(24)}${perSecond}/s   p50 ${of('p50Ms').toFixed(2)} ms   p95 ${of('p95Ms').toFixed(2)} ms`
}
