// One mail to ops of all drifts that it was not told yet; they count as told in the transaction that leaves the mail.
import { takeUntold } from '../../../db/controls/proof/drifts'
import { enqueueMail } from '../../../db/partners/mails'
import { driftMessage } from '../../../mail/messages/drift'
import type { ActivityDeps } from '../../bind'

type TellDeps = Pick<ActivityDeps, 'db' | 'clock' | 'keyring' | 'opsEmail'>

const atOnceInAMail = 50
/** After this the mail is of no use. */
const keepForMs = 3 * 24 * 60 * 60 * 1000

export async function tellDrifts({ db, clock, keyring, opsEmail }: TellDeps): Promise<number> {
  if (opsEmail === null) return 0
  const at = clock.now()
  return db.transaction(async (tx) => {
    const drifts = await takeUntold(tx, { at, limit: atOnceInAMail })
    if (drifts.length === 0) return 0
    const mail = driftMessage({ address: opsEmail, drifts })
    await enqueueMail(tx, keyring, { kind: 'notice', mail, at, expiresAt: new Date(at.getTime() + keepForMs) })
    return drifts.length
  })
}
