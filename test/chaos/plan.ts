// The faults of a chaos run and their times. They depend only on the seed and the length of the run.
import { type Environment, environments } from '../../domain/environment'
import type { Json } from '../support/bank/client'
import { seededNumbers } from '../support/seeded-random'

export const targets = ['api-1', 'api-2', 'worker-1', 'worker-2', 'temporal', 'postgres', 'bank'] as const

export type Target = (typeof targets)[number]

export type ChaosEvent =
  /** Kills the target with SIGKILL, and restarts it after `downMs`. */
  | { readonly atMs: number; readonly kind: 'kill'; readonly target: Target; readonly downMs: number }
  /** Sets a fault at the bank, in the format of its control API. */
  | { readonly atMs: number; readonly kind: 'fault'; readonly fault: Json }
  /** Makes the bank refuse connections for this long. */
  | { readonly atMs: number; readonly kind: 'outage'; readonly ms: number }
  /** Makes the bank return this many paid transfers. */
  | { readonly atMs: number; readonly kind: 'return'; readonly many: number }
  /** Pauses the rail, and resumes it after `ms`. */
  | { readonly atMs: number; readonly kind: 'pause'; readonly environment: Environment; readonly ms: number }

/** Every fault fires a limited number of times. */
export function planOf({ seed, ms }: { readonly seed: number; readonly ms: number }): readonly ChaosEvent[] {
  const random = seededNumbers(seed)
  const kill = (atMs: number, target: Target): ChaosEvent => ({
    atMs,
    kind: 'kill',
    target,
    downMs: 100 + random(3_000),
  })
  const fault = (atMs: number): ChaosEvent => {
    return { atMs, kind: 'fault', fault: { ...pick(faults, random), times: 1 + random(4) } }
  }
  const deal: Record<Lot, (atMs: number) => ChaosEvent[]> = {
    kill: (atMs) => [kill(atMs, pick(targets, random))],
    killAll: (atMs) => targets.map((each) => kill(atMs, each)),
    outage: (atMs) => [{ atMs, kind: 'outage', ms: 200 + random(3_000) }],
    pause: (atMs) => [{ atMs, kind: 'pause', environment: pick(environments, random), ms: 500 + random(4_000) }],
    return: (atMs) => [{ atMs, kind: 'return', many: 1 + random(3) }],
    fault: (atMs) => [fault(atMs)],
  }
  const events: ChaosEvent[] = []
  // Even a short run kills every target once, then returns a transfer and pauses a rail.
  const first = shuffled(targets, random)
  const then: Lot[] = ['pause', 'return']
  for (let atMs = 1_000 + random(1_500); atMs < ms; atMs += 400 + random(2_600)) {
    const target = first.pop()
    if (target !== undefined) events.push(kill(atMs, target), fault(atMs))
    else events.push(...deal[then.pop() ?? pick(lots, random)](atMs))
  }
  return events
}

type Lot = 'kill' | 'killAll' | 'outage' | 'pause' | 'return' | 'fault'

/** There are one hundred entries, so that each count is a percentage. */
const lots: readonly Lot[] = [
  ...many(38, 'kill'),
  ...many(3, 'killAll'),
  ...many(4, 'outage'),
  ...many(5, 'pause'),
  ...many(6, 'return'),
  ...many(44, 'fault'),
]

function many(count: number, lot: Lot): Lot[] {
  return Array.from({ length: count }, () => lot)
}

const toTransfers = { method: 'POST', path: '/v0/transfers' }
const toAnything = { path: '/v0/*' }

/** Contains only temporary faults. Faults that need an operator have their own stories. */
const faults: readonly Json[] = [
  { kind: 'reset', stage: 'before', match: toTransfers },
  { kind: 'reset', stage: 'after', match: toTransfers },
  { kind: 'reset', stage: 'after', match: toAnything },
  { kind: 'hang', stage: 'before', ms: 4_000, match: toTransfers },
  { kind: 'hang', stage: 'after', ms: 4_000, match: toTransfers },
  { kind: 'hang', stage: 'after', ms: 4_000, match: toAnything },
  { kind: 'status', status: 500, stage: 'before', match: toTransfers },
  { kind: 'status', status: 500, stage: 'after', match: toTransfers },
  { kind: 'status', status: 503, retry_after: 1, match: toAnything },
  { kind: 'status', status: 429, match: toAnything },
  { kind: 'truncated', match: toTransfers },
  { kind: 'malformed', match: toAnything },
  { kind: 'slow_body', ms: 1_200, match: toTransfers },
  { kind: 'busy', match: toTransfers },
  { kind: 'undeliverable' },
  // The return comes so soon that the service might not have seen the payment yet.
  { kind: 'return', ms: 300 },
  { kind: 'refund_delay', ms: 1_500 },
  { kind: 'list_short' },
  { kind: 'webhook_lost' },
  { kind: 'webhook_duplicate', copies: 3 },
  { kind: 'webhook_late', ms: 2_000 },
  { kind: 'webhook_reorder' },
  { kind: 'webhook_bad_signature' },
  { kind: 'webhook_expired' },
]

function pick<T>(from: readonly T[], random: (below: number) => number): T {
  const picked = from[random(from.length)]
  if (picked === undefined) throw new Error('there is nothing to pick from')
  return picked
}

function shuffled<T>(all: readonly T[], random: (below: number) => number): T[] {
  const left = [...all]
  return all.flatMap(() => left.splice(random(left.length), 1))
}
