// Queues emails to the admins about changes to members, live keys and the account's email addresses, in the same
// transaction as the change.
import type { Tx } from '../../db/database'
import { enqueueMail } from '../../db/partners/mails'
import { listMembers, type MemberRow } from '../../db/partners/members'
import { findPartnerById } from '../../db/partners/partners'
import { assert } from '../../domain/assert'
import { type AccessChange, accessMessage } from '../../mail/messages/access'
import type { ApiDeps } from '../deps'

interface Deed {
  readonly partnerId: string
  /**
   * The email address of the person who made the change. They get an email too, because their session may be stolen.
   */
  readonly by: string
  readonly happened: AccessChange
  /** A member who was just removed. They get an email too. */
  readonly removed?: MemberRow
}

export async function tellAdmins(
  tx: Tx,
  { partnerId, by, happened, removed }: Deed,
  { keyring, clock, config }: Pick<ApiDeps, 'keyring' | 'clock' | 'config'>,
): Promise<void> {
  const partner = await findPartnerById(tx, partnerId)
  assert(partner !== null, 'a caller must have a partner')
  const at = clock.now()
  const undoUrl = `${config.publicUrl}/dashboard/${pageOf(happened)}`
  const people = [...(await listMembers(tx, partnerId)), ...(removed ? [removed] : [])]
  for (const { email: address } of people.filter((each) => isRecipient(each, by, happened))) {
    const mail = accessMessage({ address, happened, by, at, partner: partner.name, undoUrl })
    await enqueueMail(tx, keyring, { kind: 'notice', mail, at, expiresAt: new Date(at.getTime() + weekMs) })
  }
}

const weekMs = 7 * 24 * 60 * 60 * 1000

/** Only members who have signed in get an email. An invited address may belong to a stranger. */
function isRecipient({ email, role, lastLoginAt }: MemberRow, by: string, happened: AccessChange): boolean {
  if (lastLoginAt === null) return false
  if (email === by || ('email' in happened && happened.email === email)) return true
  return role === 'admin' && happened.what !== 'made_viewer'
}

function pageOf({ what }: AccessChange): string {
  if (what === 'live_key') return 'keys?environment=live'
  return what === 'emails_changed' ? 'settings' : 'team'
}
