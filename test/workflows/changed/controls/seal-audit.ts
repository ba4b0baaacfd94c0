// The workflow as a careless change would leave it: it erases before it seals.
import * as activities from '../../../../workflows/activities'
import { sealAudit as original, type Sealing } from '../../../../workflows/controls/seal-audit'

export async function sealAudit(sealing: Sealing): Promise<number> {
  await activities.eraseRecipients({ limit: 1 })
  return original(sealing)
}
