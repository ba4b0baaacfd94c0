// A partner's admins hear of it when their verification needs them, or is decided.
import type { Tx } from '../../../db/database'
import { addNotice } from '../../../db/partners/notices'
import type { PartnerRow } from '../../../db/partners/partners'
import type { VerificationStatus } from '../../../domain/partners/partner'

const worthTelling: readonly VerificationStatus[] = ['action_required', 'approved', 'rejected']

/** Of a change only: `partner` is as it was. */
export async function tellAdmins(tx: Tx, partner: PartnerRow, status: VerificationStatus, at: Date): Promise<void> {
  if (status === partner.verificationStatus || !worthTelling.includes(status)) return
  await addNotice(tx, { partnerId: partner.id, environment: 'live', kind: 'verification', about: status, at })
}
