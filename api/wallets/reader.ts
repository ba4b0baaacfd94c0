// The API's way to a wallet's history: tells its workflow that the bank has spoken, and starts it where none runs.
import type { Client } from '@temporalio/client'
import { askWithin } from '../../runtime/temporal/client'
import { bankSpokeSignal, housekeepingQueue, ofSystem, walletReadingId } from '../../workflows/names'
import type { walletReading } from '../../workflows/wallets/reading'

export interface WalletReader {
  /** Throws when Temporal does not answer. */
  bankSpoke(walletId: string): Promise<void>
}

/** The bank waits for the answer to its event, and sends it again later if there is none. */
const signalWithinMs = 2_000
const readings = 100

export function createWalletReader({ temporal, taskQueuePrefix }: WalletReaderOptions): WalletReader {
  return {
    async bankSpoke(walletId) {
      await askWithin(temporal, signalWithinMs, () =>
        temporal.workflow.signalWithStart<typeof walletReading>('walletReading', {
          workflowId: walletReadingId(walletId),
          taskQueue: ofSystem(housekeepingQueue, taskQueuePrefix),
          args: [{ walletId, readings }],
          signal: bankSpokeSignal,
          signalArgs: [],
          staticSummary: 'Reads what is new in the history of a wallet',
        }),
      )
    },
  }
}

export interface WalletReaderOptions {
  readonly temporal: Client
  readonly taskQueuePrefix: string
}
