// How a verification is started or woken, the same by whoever does it: the API, ops, the bank's event, the daily look.
import { bankSpokeSignal, housekeepingQueue, ofSystem, verificationId } from '../names'
import type { Verification } from './verification'

export interface VerificationStartSettings {
  readonly queuePrefix: string
  readonly pollMs: readonly number[]
}

/** For `signalWithStart`: one that runs is woken, one that has ended begins again. */
export function verificationStart(partnerId: string, { queuePrefix, pollMs }: VerificationStartSettings) {
  return {
    workflowId: verificationId(partnerId),
    taskQueue: ofSystem(housekeepingQueue, queuePrefix),
    args: [{ partnerId, pollMs, checks: 300 }] as [Verification],
    signal: bankSpokeSignal,
    signalArgs: [] as [],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    staticSummary: 'Verifies a business',
  } as const
}
