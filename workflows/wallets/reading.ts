// Reads one wallet's history at its bank because the bank has spoken, and once more for whatever it said meanwhile.
import { ActivityFailure, continueAsNew, defineSignal, isCancellation, setHandler } from '@temporalio/workflow'
import * as activities from '../activities'
import { requireFields } from '../input'
import { bankSpokeSignal } from '../names'

export interface WalletReading {
  readonly walletId: string
  /** A reading adds a few events to the history; after this many the workflow goes on in a fresh one. */
  readonly readings: number
}

export const bankSpoke = defineSignal(bankSpokeSignal)

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

/** A bank that stays away is not waited for: all wallets are read again every few minutes. */
async function read(walletId: string): Promise<'read' | 'not_read'> {
  try {
    await activities.readWallet({ walletId })
    return 'read'
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return 'not_read'
  }
}
