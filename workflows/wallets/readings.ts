// Reads every wallet that is at a bank, every few minutes, so that a lost event delays no deposit for longer.
import { ActivityFailure, continueAsNew, isCancellation, proxyActivities } from '@temporalio/workflow'
import { type Environment, environments } from '../../domain/environment'
import { fromPreviousRun, requireCounts } from '../input'
import type { WalletRead } from './reading'

export interface WalletReadings {
  readonly pageSize: number
  /** Pages per environment. After this many the workflow continues as a new run. */
  readonly pages: number
  /** Where the run before stopped. A new reading starts with the first wallet of each environment. */
  readonly from?: Places
}

/** Null where nothing is left to read. */
type Places = Readonly<Record<Environment, { readonly after: string | null } | null>>

export interface WalletPage {
  readonly environment: Environment
  /** The last wallet of the previous page. Null for the first, which starts where the last reading stopped. */
  readonly after: string | null
  readonly limit: number
}

export interface WalletsRead extends WalletRead {
  readonly read: number
  /** Wallets that could not be read. The log says why, and the next reading retries. */
  readonly failed: number
  /** Null on the last page, and where the bank is unavailable. */
  readonly next: string | null
}

export interface WalletReadingsActivities {
  /** Books the new entries of a page of wallets. Idempotent. */
  readWallets(page: WalletPage): Promise<WalletsRead>
}

/** The next reading resumes a failed one. */
const { readWallets } = proxyActivities<WalletReadingsActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 2 },
})

/** Reads the environments in parallel: a bank that hangs delays only its own wallets. */
export async function walletReadings(order: WalletReadings): Promise<void> {
  requireCounts(order, { pageSize: 1_000, pages: 1_000 }, '{"pageSize": 50, "pages": 100}')
  const { pageSize, pages } = order
  const from = fromPreviousRun(order.from) ?? beginning
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

/** A page that fails ends its environment for this time. The next reading resumes it. */
async function readPage(environment: Environment, after: string | null, limit: number): Promise<string | null> {
  try {
    return (await readWallets({ environment, after, limit })).next
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return null
  }
}
