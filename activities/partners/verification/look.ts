// The daily look at every business that the bank has: each whose verification does not run is started, and asks the bank once.
import { listPartnersToLookAt } from '../../../db/wallets/live'
import type { verification } from '../../../workflows/partners/verification'
import { verificationStart } from '../../../workflows/partners/verification-start'
import type { VerificationsPage, VerificationsSteps } from '../../../workflows/partners/verification-steps'
import type { SweepDeps } from '../../controls/sweep/deps'
import { each } from '../../controls/sweep/each'
import { startUnlessRunning } from '../../controls/sweep/start-unless-running'

export interface LookDeps extends Pick<SweepDeps, 'db' | 'log' | 'temporal' | 'queuePrefix'> {
  readonly pollMs: readonly number[]
  /** Whether there is a bank to ask. */
  readonly liveBank: 'configured' | 'absent'
}

export function createVerificationsSteps(deps: LookDeps): VerificationsSteps {
  return { startVerifications: (page) => startVerifications(deps, page) }
}

async function startVerifications(deps: LookDeps, { after, limit }: VerificationsPage) {
  if (deps.liveBank === 'absent') return { started: 0, next: null }
  const partners = await listPartnersToLookAt(deps.db, { after, limit })
  const { done } = await each(deps, partners, start(deps), (partnerId) => ({ partner_id: partnerId }))
  const last = partners.length < limit ? undefined : partners.at(-1)
  return { started: done.filter((was) => was !== 'RUNNING').length, next: last ?? null }
}

/** One that gets on is not woken: it asks the bank when its own pause is over. */
function start({ temporal, queuePrefix, pollMs }: LookDeps): (partnerId: string) => Promise<string> {
  return async (partnerId) => {
    const { signal: _, signalArgs: __, ...options } = verificationStart(partnerId, { queuePrefix, pollMs })
    return startUnlessRunning(temporal, options.workflowId, (workflowIdConflictPolicy) =>
      temporal.workflow.start<typeof verification>('verification', { ...options, workflowIdConflictPolicy }),
    )
  }
}
