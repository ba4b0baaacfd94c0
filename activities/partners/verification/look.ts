// The daily look at every business that the bank has: each whose verification does not run is started, and asks the bank once.
import { listPartnersToLookAt } from '../../../db/wallets/live'
import { startUnlessRunning } from '../../../runtime/temporal/start-workflow'
import type { VerificationsPage } from '../../../workflows/partners/verifications'
import { starts } from '../../../workflows/starts'
import type { ActivityDeps } from '../../bind'
import { each } from '../../controls/sweep/each'

type LookDeps = Pick<ActivityDeps, 'db' | 'log' | 'temporal' | 'queuePrefix' | 'verificationPollMs' | 'banks'>

export async function startVerifications(deps: LookDeps, { after, limit }: VerificationsPage) {
  if (deps.banks.live === null) return { started: 0, next: null }
  const partners = await listPartnersToLookAt(deps.db, { after, limit })
  const settings = { queuePrefix: deps.queuePrefix, pollMs: deps.verificationPollMs }
  // A running verification is not woken: it asks the bank at its own poll interval.
  const start = (partnerId: string) => startUnlessRunning(deps.temporal, starts.verification(partnerId, settings))
  const { done } = await each(deps, partners, start, (partnerId) => ({ partner_id: partnerId }))
  const last = partners.length < limit ? undefined : partners.at(-1)
  return { started: done.filter((was) => was !== 'RUNNING').length, next: last ?? null }
}
