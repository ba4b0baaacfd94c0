// Reads every wallet that is at a bank, every few minutes: no deposit waits for an event that the bank never sent.
import { ActivityFailure, continueAsNew, isCancellation } from '@temporalio/workflow'
import { type Environment, environments } from '../../domain/environment'
import * as activities from '../activities'
import { ofRunBefore, requireCounts } from '../input'

export interface WalletReadings {
  readonly pageSize: number
  /** Of each environment; after this many the readings go on in a fresh history. */
  readonly pages: number
  /** Where the run before has stopped; a new one begins with the first wallet of each. */
  readonly from?: Places
}

/** Null where there is nothing left to read. */
export type Places = Readonly<Record<Environment, { readonly after: string | null } | null>>

/** The environments go on beside each other: a bank that hangs keeps only its own wallets waiting. */
export async function walletReadings(order: WalletReadings): Promise<void> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 100}')
  const { pageSize, pages } = order
  const from = ofRunBefore(order.from) ?? beginning
  const [sandbox = null, live = null] = await Promise.all(
    environments.map((environment) => readSome(environment, from[environment], { pageSize, pages })),
  )
  if (sandbox === null && live === null) return
  await continueAsNew<typeof walletReadings>({ pageSize, pages, from: { sandbox, live } })
}

const beginning: Places = { sandbox: { after: null }, live: { after: null } }

async function readSome(
  environment: Environment,
  from: Places[Environment],
  { pageSize, pages }: WalletReadings,
): Promise<Places[Environment]> {
  let place = from
  for (let page = 0; place !== null && page < pages; page++) {
    const next = await readPage(environment, place.after, pageSize)
    place = next === null ? null : { after: next }
  }
  return place
}

/** What can not be read this time is read the next. */
async function readPage(environment: Environment, after: string | null, limit: number): Promise<string | null> {
  try {
    return (await activities.readWallets({ environment, after, limit })).next
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return null
  }
}
