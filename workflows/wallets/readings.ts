// Reads wallet histories at the bank: all except idle sandboxes every few minutes, and a single one right after an
// event.
import {
  ActivityFailure,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow'
import { type Environment, environments } from '../../domain/environment'
import { fromPreviousRun, requireCounts, requireFields } from '../input'
import { bankSpokeSignal } from '../names'
import { regularActivities } from '../proxies'

export interface WalletReadings {
  readonly pageSize: number
  /** Pages per environment. After this many the workflow continues as a new run. */
  readonly pages: number
  /** Where the previous run stopped. Absent in a new reading. */
  readonly from?: Places
}

/** An environment that is done is null. */
type Places = Readonly<Record<Environment, { readonly after: string | null } | null>>

export interface WalletPage {
  readonly environment: Environment
  /** The last wallet of the previous page. Null for the first page, which starts where the last reading stopped. */
  readonly after: string | null
  readonly limit: number
}

export interface WalletsRead extends WalletRead {
  readonly read: number
  /** Wallets that could not be read. The log contains the reason, and the next reading retries. */
  readonly failed: number
  /** Null on the last page, and if the bank is unavailable. */
  readonly next: string | null
}

export interface WalletReadingsActivities {
  /** Books new history entries for a page of wallets. Idempotent. */
  readWallets(page: WalletPage): Promise<WalletsRead>
}

/** The next reading resumes a failed one. */
const { readWallets } = regularActivities<WalletReadingsActivities>('5 minutes', { first: '1 second', attempts: 2 })

/**
 * Reads every wallet except idle sandboxes, so that a lost event delays a deposit by a few minutes at most. Reads the
 * environments in parallel, so that an unresponsive bank delays only its own wallets.
 */
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

/** A failed page ends the reading of its environment. The next reading resumes it. */
async function readPage(environment: Environment, after: string | null, limit: number): Promise<string | null> {
  try {
    return (await readWallets({ environment, after, limit })).next
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return null
  }
}

export interface WalletReading {
  readonly walletId: string
  /** A read adds a few events to the history. After this many reads the workflow continues as a new run. */
  readonly readings: number
}

/** Counts only, because the workflow history stores this result. */
export interface WalletRead {
  /** New deposits that were booked. */
  readonly booked: number
  /** New movements that are held for an operator. */
  readonly held: number
  /** Payouts that seem to have been returned. A workflow polls the bank about each. */
  readonly returns: number
  /** Movements that could not be assigned to a payout yet, because the bank did not answer. The next read retries. */
  readonly unresolved: number
}

export interface WalletReadingActivities {
  /** Books new entries from one wallet's history. Idempotent. */
  readWallet(wallet: { readonly walletId: string }): Promise<WalletRead>
}

/** Few retries, because all wallets are read again every few minutes. A long history has many pages. */
const { readWallet } = proxyActivities<WalletReadingActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 3, maximumAttempts: 4 },
})

const bankSpoke = defineSignal(bankSpokeSignal)

/** Reads one wallet, and reads it again if another event arrives during the read. */
export async function walletReading(order: WalletReading): Promise<'read' | 'not_read'> {
  requireFields(order, { walletId: 'id', readings: 'count' })
  const { walletId, readings } = order
  let isWanted = true
  setHandler(bankSpoke, () => {
    isWanted = true
  })
  let outcome: 'read' | 'not_read' = 'read'
  for (let reading = 0; isWanted; reading++) {
    if (reading === readings) return continueAsNew<typeof walletReading>({ walletId, readings })
    isWanted = false
    outcome = await read(walletId)
  }
  return outcome
}

/** Does not wait for a bank that stays unavailable: all wallets are read again every few minutes. */
async function read(walletId: string): Promise<'read' | 'not_read'> {
  try {
    await readWallet({ walletId })
    return 'read'
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return 'not_read'
  }
}
