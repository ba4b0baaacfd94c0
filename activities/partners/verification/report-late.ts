// Verifications that the bank should have opened long ago: told in the log, once for each try.
import { takeLateOpenings } from '../../../db/partners/verification'
import { ago, type SweepDeps } from '../../controls/sweep/deps'

const openWithinMs = 15 * 60_000

export async function reportLateOpenings(deps: Pick<SweepDeps, 'db' | 'clock' | 'log'>): Promise<void> {
  for (const partnerId of await takeLateOpenings(deps.db, ago(deps, openWithinMs))) {
    deps.log.error({ partner_id: partnerId }, 'the bank has not opened a verification yet: somebody has to look')
  }
}
