// The workflow after a careless change: it checks for overdue payouts first.
import { proxyActivities } from '@temporalio/workflow'
import type { ProofActivities, Proved } from '../../../../workflows/controls/proof'
import { proof as original, type Proving } from '../../../../workflows/controls/proof'

const { proveSilence } = proxyActivities<ProofActivities>({ startToCloseTimeout: '1 minute' })

export async function proof(proving: Proving): Promise<Proved> {
  await proveSilence()
  return original(proving)
}
