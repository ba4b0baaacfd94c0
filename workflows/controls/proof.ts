// The proof: every wallet's books against themselves and against the bank's, and no payout that is silent for too long.
import { ActivityFailure, continueAsNew, isCancellation } from '@temporalio/workflow'
import type { Environment } from '../../domain/environment'
import * as activities from '../activities'
import { ofRunBefore, requireCounts } from '../input'
import type { Proved } from './proof-steps'

export interface Proving {
  readonly pageSize: number
  /** Of each environment; after this many the proof goes on in a fresh history. */
  readonly pages: number
  /** Where the run before has stopped, and what it has found; a new proof begins with the first wallet of each. */
  readonly from?: ProofPlaces
  readonly sofar?: Proved
}

/** Null where there is nothing left to prove. */
export type ProofPlaces = Readonly<Record<Environment, { readonly after: string | null } | null>>

/** The environments go on beside each other: a bank that hangs keeps only its own wallets waiting. */
export async function proof(order: Proving): Promise<Proved> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 100}')
  const { pageSize, pages } = order
  const from = ofRunBefore(order.from) ?? beginning
  const [sandbox, live] = await Promise.all([
    proveSome('sandbox', from.sandbox, { pageSize, pages }),
    proveSome('live', from.live, { pageSize, pages }),
  ])
  const sum = [sandbox.proved, live.proved].reduce(add, ofRunBefore(order.sofar) ?? nothing)
  if (sandbox.place !== null || live.place !== null) {
    const places = { sandbox: sandbox.place, live: live.place }
    return continueAsNew<typeof proof>({ pageSize, pages, from: places, sofar: sum })
  }
  const silence = await activities.proveSilence()
  await activities.tellDrifts()
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

/** What can not be proved this time is proved the next. */
async function provePage(environment: Environment, after: string | null, limit: number) {
  try {
    return await activities.proveWallets({ environment, after, limit })
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
