// The API's way to a partner's verification: starts it, or wakes it where it runs.
import type { Client } from '@temporalio/client'
import { askWithin } from '../../runtime/temporal/client'
import type { verification } from '../../workflows/partners/verification'
import { verificationStart } from '../../workflows/partners/verification-start'

export interface VerificationStarter {
  /** Throws when Temporal does not answer. */
  wake(partnerId: string): Promise<void>
}

export interface VerificationStarterOptions {
  readonly temporal: Client
  readonly taskQueuePrefix: string
  readonly pollMs: readonly number[]
}

export function createVerificationStarter(options: VerificationStarterOptions): VerificationStarter {
  const { temporal, taskQueuePrefix: queuePrefix, pollMs } = options
  return {
    async wake(partnerId) {
      const start = verificationStart(partnerId, { queuePrefix, pollMs })
      await askWithin(temporal, wakeWithinMs, () =>
        temporal.workflow.signalWithStart<typeof verification>('verification', start),
      )
    },
  }
}

/** The bank, or an admin, waits for the answer; both can ask again. */
const wakeWithinMs = 2_000
