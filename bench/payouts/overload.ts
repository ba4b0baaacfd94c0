// Measures POST /v1/payouts at twice the maximum rate: how much is accepted, how fast the rest is refused, whether
// everything is right afterwards, and how much another partner notices.
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { runLoad } from '../load'
import { type Measured, measuredOf, medianOf, ratioOf } from '../measured'
import { openPartner } from '../system'
import { bodyFor } from './requests'
import type { Stage } from './stage'
import { untilConnected } from './wallets'

const seconds = 15
const rounds = 3
const pauseMs = 100
/** Enough for the maximum rate, and within one partner's share of the default number of payouts in work. */
const clients = 16
/** Limits the wait for the verdicts after a flood. */
const drainMs = 120_000

export async function measureOverload(stage: Stage): Promise<string[]> {
  const { system } = stage
  const { key: quietKey } = openPartner(system, 'bench-quiet')
  await untilConnected(stage)
  await stage.gate('shut')
  await measureMaximum(stage)
  const maximum = await measureMaximum(stage)
  const rate = 2 * maximum
  const sent = await flood(stage, { rate, seconds })
  await untilDecided(stage)
  const faults = await referee(stage, sent)
  const quiet: Measured[] = []
  const flooded: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    quiet.push(await payNowAndThen(stage, quietKey))
    const flooding = flood(stage, { rate, seconds })
    flooded.push(await payNowAndThen(stage, quietKey))
    await flooding
    await untilDecided(stage)
  }
  await stage.gate('open')
  return [
    ...overloadLines(maximum, sent),
    `  wrong afterwards: ${faults.length} ${faults.slice(0, 5).join('; ')}`,
    ...fairnessLines(quiet, flooded),
  ]
}

async function measureMaximum({ port, system }: Stage): Promise<number> {
  const next = () => requestText(system.sandboxKey, nextKey())
  return (await runLoad({ port, next, status: 201 }, { clients, seconds })).perSecond
}

let keys = 0
const nextKey = () => `overload-${process.pid}-${(keys += 1)}`

function requestText(secret: string, key: string): string {
  const body = JSON.stringify(bodyFor(keys % 50))
  const head = [
    'POST /v1/payouts HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${secret}`,
    `Idempotency-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

interface Sent {
  readonly key: string
  readonly status: number
  readonly retryAfter: string | null
  readonly ms: number
}

/** Sends each request at its own time, whether or not the earlier ones were answered, as independent clients do. */
async function flood({ port, system }: Stage, load: { rate: number; seconds: number }): Promise<Sent[]> {
  const agent = new Agent({ keepAlive: true })
  const startedAt = performance.now()
  const sent: Promise<Sent>[] = []
  for (let n = 0; n < load.rate * load.seconds; n++) {
    await wait(Math.max(0, startedAt + (n * 1_000) / load.rate - performance.now()))
    sent.push(send(port, agent, system.sandboxKey))
  }
  const answered = await Promise.all(sent)
  agent.destroy()
  return answered
}

function send(port: number, agent: Agent, secret: string): Promise<Sent> {
  const key = nextKey()
  const headers = { Authorization: `Bearer ${secret}`, 'Idempotency-Key': key, 'Content-Type': 'application/json' }
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', path: '/v1/payouts', method: 'POST', agent, headers },
      (answer) => {
        answer.resume().on('end', () => {
          const retryAfter = answer.headers['retry-after'] ?? null
          resolve({ key, status: answer.statusCode ?? 0, retryAfter, ms: performance.now() - startedAt })
        })
      },
    )
    asked.on('error', reject)
    asked.end(JSON.stringify(bodyFor(keys % 50)))
  })
}

/** The rest of a flood must not slow the next measurement. */
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

interface ListedTransfers {
  readonly data: readonly { readonly client_reference_id?: string }[]
}

/** Compares the answers with our rows and the bank's transfers: accepted ones are paid once, refused ones never. */
async function referee({ sql, system }: Stage, sent: readonly Sent[]): Promise<string[]> {
  const { rows } = await sql.query<{ key: string; id: string }>(
    `SELECT idempotency_key AS key, id FROM payouts WHERE idempotency_key = ANY ($1)`,
    [sent.map(({ key }) => key)],
  )
  const payoutOf = new Map(rows.map(({ key, id }) => [key, id]))
  const listed: ListedTransfers = JSON.parse(await (await fetch(`${system.bankUrl}/_control/transfers`)).text())
  const transfers = new Map<string, number>()
  for (const { client_reference_id: id = '' } of listed.data) transfers.set(id, (transfers.get(id) ?? 0) + 1)
  return sent.flatMap(({ key, status, retryAfter }) => {
    const id = payoutOf.get(key)
    const paid = id === undefined ? 0 : (transfers.get(id) ?? 0)
    if (status === 201) return paid === 1 ? [] : [`${key} was accepted and paid ${paid} times`]
    if (status !== 429 && status !== 503) return [`${key} got ${status}`]
    if (retryAfter === null) return [`${key} got ${status} without Retry-After`]
    return id === undefined ? [] : [`${key} was refused and exists`]
  })
}

function overloadLines(maximum: number, sent: readonly Sent[]): string[] {
  const accepted = sent.filter(({ status }) => status === 201)
  const refused = sent.filter(({ status }) => status !== 201)
  const times = (some: readonly Sent[]) => {
    const { p50Ms, p99Ms } = measuredOf(
      some.map(({ ms }) => ms),
      seconds * 1_000,
    )
    return `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`
  }
  const share = (some: readonly Sent[]) => (some.length / Math.max(1, refused.length)).toFixed(3)
  const quick = refused.filter(({ ms }) => ms <= 100)
  return [
    `POST /v1/payouts of one partner, maximum ${maximum.toFixed(1)}/s with ${clients} clients. At twice that rate for ${seconds} s:`,
    `  accepted ${(accepted.length / seconds).toFixed(1)}/s, ${(accepted.length / seconds / maximum).toFixed(2)} of the maximum (target: at least 0.90), ${times(accepted)}`,
    `  refused ${refused.length}, ${times(refused)}, within 100 ms: ${share(quick)} of them (target: all)`,
  ]
}

function fairnessLines(quiet: readonly Measured[], flooded: readonly Measured[]): string[] {
  const ms = (measured: readonly Measured[]) =>
    `p50 ${medianOf(measured, 'p50Ms').toFixed(0)} ms, p99 ${medianOf(measured, 'p99Ms').toFixed(0)} ms`
  const ratio = (field: 'p50Ms' | 'p99Ms') => ratioOf(flooded, quiet, field).toFixed(2)
  return [
    `POST /v1/payouts of another partner with one client and pauses of ${pauseMs} ms, medians of ${rounds} alternating rounds:`,
    `  alone ${ms(quiet)}; during the flood ${ms(flooded)}; ratio p50 ${ratio('p50Ms')}, p99 ${ratio('p99Ms')} (target: p99 at most 1.50)`,
  ]
}

async function payNowAndThen({ port }: Stage, secret: string): Promise<Measured> {
  const agent = new Agent({ keepAlive: true })
  const latenciesMs: number[] = []
  const startedAt = performance.now()
  while (performance.now() < startedAt + (seconds - 2) * 1_000) {
    const { status, ms } = await send(port, agent, secret)
    if (status !== 201) throw new Error(`the payout request returned ${status}`)
    latenciesMs.push(ms)
    await wait(pauseMs)
  }
  agent.destroy()
  return measuredOf(latenciesMs, performance.now() - startedAt)
}
