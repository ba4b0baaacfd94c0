// Reconciles every wallet's ledger with itself and with the bank, and finds payouts that are stuck.
import { ActivityFailure, continueAsNew, isCancellation } from '@temporalio/workflow'
import type { Environment } from '../../domain/environment'
import { fromPreviousRun, requireCounts } from '../input'
import { regularActivities } from '../proxies'

export interface Proving {
  readonly pageSize: number
  /** Pages per environment. After this many the proof continues as a new run. */
  readonly pages: number
  /** Where the previous run stopped, and its counts. A new proof starts with the first wallet. */
  readonly from?: ProofPlaces
  readonly sofar?: Proved
}

/** An environment that is done is null. */
type ProofPlaces = Readonly<Record<Environment, { readonly after: string | null } | null>>

export interface Proved {
  readonly wallets: number
  /** All drifts. `fresh` counts the new ones among them. */
  readonly drifts: number
  readonly fresh: number
  /** Wallets whose balance changed too often to be compared with the bank's. */
  readonly busy: number
  /** Wallets that could not be reconciled, for example because the bank did not answer. The log contains the reason. */
  readonly failed: number
}

export interface ProofPage {
  readonly environment: Environment
  /** The last wallet of the previous page. Null for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** All activities are idempotent. */
export interface ProofActivities {
  /** `next` is null on the last page. */
  proveWallets(page: ProofPage): Promise<Proved & { readonly next: string | null }>
  /**
   * Finds payouts without a recent update and wallets without a recent comparison. Returns how many, and how many are
   * new.
   */
  proveSilence(): Promise<{ readonly drifts: number; readonly fresh: number }>
  /** Emails unreported drifts to the operators, and returns their number. */
  tellDrifts(): Promise<number>
}

/** A wallet with a long history has many pages to read. The next proof retries failed wallets. */
const { proveWallets, proveSilence, tellDrifts } = regularActivities<ProofActivities>('15 minutes', {
  first: '1 second',
  attempts: 2,
})

/** Reconciles the environments in parallel, so that an unresponsive bank delays only its own wallets. */
export async function proof(order: Proving): Promise<Proved> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 100}')
  const { pageSize, pages } = order
  const from = fromPreviousRun(order.from) ?? beginning
  const [sandbox, live] = await Promise.all([
    proveSome('sandbox', from.sandbox, { pageSize, pages }),
    proveSome('live', from.live, { pageSize, pages }),
  ])
  const sum = [sandbox.proved, live.proved].reduce(add, fromPreviousRun(order.sofar) ?? nothing)
  if (sandbox.place !== null || live.place !== null) {
    const places = { sandbox: sandbox.place, live: live.place }
    return continueAsNew<typeof proof>({ pageSize, pages, from: places, sofar: sum })
  }
  const silence = await proveSilence()
  await tellDrifts()
  return add(sum, { ...nothing, ...silence })
}

const beginning: ProofPlaces = { sandbox: { after: null }, live: { after: null } }
const nothing: Proved = { wallets: 0, drifts: 0, fresh: 0, busy: 0, failed: 0 }

async function proveSome(
  environment: Environment,
  from: ProofPlaces[Environment],
  { pageSize, pages }: Proving,
): Promise<{ readonly proved: Proved; readonly place: ProofPlaces[Environment] }> {
  let place = from
  let proved = nothing
  for (let page = 0; place !== null && page < pages; page++) {
    const { next, ...found } = await provePage(environment, place.after, pageSize)
    proved = add(proved, found)
    place = next === null ? null : { after: next }
  }
  return { proved, place }
}

/** A failed page ends the proof of its environment. The next proof covers the remaining wallets. */
async function provePage(environment: Environment, after: string | null, limit: number) {
  try {
    return await proveWallets({ environment, after, limit })
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return { ...nothing, failed: 1, next: null }
  }
}

function add(one: Proved, other: Proved): Proved {
  return {
    wallets: one.wallets + other.wallets,
    drifts: one.drifts + other.drifts,
    fresh: one.fresh + other.fresh,
    busy: one.busy + other.busy,
    failed: one.failed + other.failed,
  }
}
