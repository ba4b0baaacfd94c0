// The daily look at every business that the bank has: each whose verification does not run is started, and asks the bank once.
import { listPartnersToLookAt } from '../../../db/wallets/live'
import type { verification } from '../../../workflows/partners/verification'
import { verificationStart } from '../../../workflows/partners/verification-start'
import type { VerificationsPage } from '../../../workflows/partners/verifications'
import type { ActivityDeps } from '../../bind'
import { each } from '../../controls/sweep/each'
import { startUnlessRunning } from '../../controls/sweep/start-unless-running'

type LookDeps = Pick<ActivityDeps, 'db' | 'log' | 'temporal' | 'queuePrefix' | 'verificationPollMs' | 'banks'>

export async function startVerifications(deps: LookDeps, { after, limit }: VerificationsPage) {
  if (deps.banks.live === null) return { started: 0, next: null }
  const partners = await listPartnersToLookAt(deps.db, { after, limit })
  const { done } = await each(deps, partners, start(deps), (partnerId) => ({ partner_id: partnerId }))
  const last = partners.length < limit ? undefined : partners.at(-1)
  return { started: done.filter((was) => was !== 'RUNNING').length, next: last ?? null }
}

/** One that gets on is not woken: it asks the bank when its own pause is over. */
function start({
  temporal,
  queuePrefix,
  verificationPollMs: pollMs,
}: LookDeps): (partnerId: string) => Promise<string> {
  return async (partnerId) => {
    const { signal: _, signalArgs: __, ...options } = verificationStart(partnerId, { queuePrefix, pollMs })
    return startUnlessRunning(temporal, options.workflowId, (workflowIdConflictPolicy) =>
      temporal.workflow.start<typeof verification>('verification', { ...options, workflowIdConflictPolicy }),
    )
  }
}
