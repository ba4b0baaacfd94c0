// Reads one wallet's history at its bank after an event, and again if another event arrives during the read.
import {
  ActivityFailure,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow'
import { requireFields } from '../input'
import { bankSpokeSignal } from '../names'

export interface WalletReading {
  readonly walletId: string
  /** A read adds a few events to the history. After this many reads the workflow continues as a new run. */
  readonly readings: number
}

/** Counts only. */
export interface WalletRead {
  /** New deposits. */
  readonly booked: number
  /** New deposits that are held because their origin is unknown. */
  readonly held: number
  /** Payouts that seem to have been returned: the bank is asked about each. */
  readonly returns: number
  /** Entries that the bank could not explain yet. The next read asks again. */
  readonly unresolved: number
}

export interface WalletReadingActivities {
  /** Books the new entries of one wallet's history. Idempotent. */
  readWallet(wallet: { readonly walletId: string }): Promise<WalletRead>
}

/** All wallets are read again every few minutes, so this gives up early. A long history has many pages. */
const { readWallet } = proxyActivities<WalletReadingActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 3, maximumAttempts: 4 },
})

const bankSpoke = defineSignal(bankSpokeSignal)

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
