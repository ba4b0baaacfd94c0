// The events around one payout. fast-check generates and shrinks a plan, and its scheduler orders the steps between the
// events.
import * as fc from 'fast-check'
import { type Fault, faultKinds } from './bank'
import { formatMs } from './schedule'

export interface Plan {
  /** Whether the bank replays a refusal for the same key, or forgets it and checks the request again. */
  readonly refusals: 'forgotten' | 'replayed'
  readonly webhooks: 'sent' | 'lost'
  /** Whether to cancel a provably unsent payout after the quiet period. That cancel must succeed. */
  readonly probe: boolean
  readonly before: readonly PlannedEvent[]
  readonly events: readonly Planned[]
  /** Whether to resume the rail and reactivate the partner before the quiet period. The bank's faults remain. */
  readonly ending: 'released' | 'as it is'
}

export interface Planned {
  readonly event: PlannedEvent
  /** The number of steps, or idle moments, after the previous event. */
  readonly after: { readonly count: number; readonly of: 'steps' | 'idle moments' }
}

export type PlannedEvent =
  | { readonly kind: 'request'; readonly to: 'api-1' | 'api-2' }
  | { readonly kind: 'cancel'; readonly by: 'api' | 'ops' | 'temporal' }
  | { readonly kind: 'trouble'; readonly trouble: Fault | null }
  | { readonly kind: 'rate'; readonly sellRate: string | null }
  | { readonly kind: 'crash'; readonly process: 'api-1' | 'api-2' | 'worker' }
  | { readonly kind: 'clock'; readonly ms: number }
  | { readonly kind: 'spoil'; readonly how: 'undeliverable' | 'return' }
  | { readonly kind: 'pause' | 'resume' | 'suspend' | 'reactivate' | 'terminate' | 'sweep' | 'webhook' }

const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000]

/** Clock jumps, from the delay of a slow answer to the time after which the bank has forgotten a key. */
const jumpsMs = [1, 3, 9, 35, 70]
  .map((seconds) => seconds * secondMs)
  .concat(
    [11, 60].map((minutes) => minutes * minuteMs),
    [22.9, 23.1, 25].map((hours) => hours * hourMs),
  )

const trouble = fc.record({
  kind: fc.constantFrom(...faultKinds),
  scope: fc.constantFrom('transfers', 'everything'),
} as const)

const event: fc.Arbitrary<PlannedEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('request'), to: fc.constantFrom('api-1', 'api-2') } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('cancel'),
      by: fc.constantFrom('api', 'api', 'ops', 'temporal'),
    } as const),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('trouble'), trouble: fc.option(trouble) } as const) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('rate'), sellRate: fc.constantFrom('0.78', '0.78', null) } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('crash'),
      process: fc.constantFrom('worker', 'worker', 'api-1', 'api-2'),
    } as const),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('clock'), ms: fc.constantFrom(...jumpsMs) } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('spoil'), how: fc.constantFrom('undeliverable', 'return') } as const),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['pause', 'resume', 'resume', 'suspend', 'reactivate', 'terminate', 'sweep', 'sweep', 'webhook'] as const),
      ),
    }),
  },
)

const after: fc.Arbitrary<Planned['after']> = fc.oneof(
  fc.record({ count: fc.integer({ min: 0, max: 30 }), of: fc.constant('steps') } as const),
  fc.record({ count: fc.integer({ min: 0, max: 3 }), of: fc.constant('idle moments') } as const),
)

/** Most plans begin with a pause or a fault, because a payout that succeeds immediately leaves little to explore. */
const opening: fc.Arbitrary<readonly PlannedEvent[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([{ kind: 'pause' }] as const) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...faultKinds)
      .map((kind) => [{ kind: 'trouble', trouble: { kind, scope: 'transfers' } }] as const),
  },
  { weight: 2, arbitrary: fc.constant([]) },
)

export const plans: fc.Arbitrary<Plan> = fc.record({
  refusals: fc.constantFrom('forgotten', 'replayed'),
  webhooks: fc.constantFrom('sent', 'lost'),
  probe: fc.boolean(),
  before: opening,
  events: fc.array(fc.record({ event, after }), { maxLength: 8, size: 'max' }),
  ending: fc.constantFrom('released', 'as it is'),
} as const)

export function describeEvent(one: PlannedEvent): string {
  switch (one.kind) {
    case 'request':
      return `a request arrives at ${one.to}`
    case 'cancel':
      return `a cancel by ${one.by}`
    case 'trouble':
      return one.trouble === null ? 'the bank is well' : `the bank: ${one.trouble.kind} (${one.trouble.scope})`
    case 'rate':
      return one.sellRate === null ? 'the rate is back' : `the rate moves to ${one.sellRate}`
    case 'crash':
      return `${one.process} crashes`
    case 'clock':
      return `the clock moves ${formatMs(one.ms)}`
    case 'spoil':
      return `the next transfer will be ${one.how === 'return' ? 'returned' : one.how}`
    default:
      return one.kind
  }
}
