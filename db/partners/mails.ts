// Mails that wait to be sent: written with what they tell about, sealed, and taken by one sender at a time.
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import type { Keyring } from '../keyring'
import { openText, type Sealed, sealText } from '../seal'
import { type MailKind, mail as mails } from '../sign-in/session-entity'

export { type MailKind, mailKinds } from '../sign-in/session-entity'

export interface OutgoingMail {
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface NewMail {
  /** One of kind `sign_in` goes to members only: what an unknown address costs must not differ before that. */
  readonly kind: MailKind
  readonly mail: OutgoingMail
  readonly at: Date
  /** After this nobody wants it any more. */
  readonly expiresAt: Date
}

export interface MailToSend {
  readonly id: string
  readonly kind: MailKind
  readonly tries: number
  /** Null where it cannot be opened: its secret key is not ours, or no longer, or not yet. */
  readonly mail: OutgoingMail | null
}

export async function enqueueMail(tx: Tx, keyring: Keyring, { kind, mail, at, expiresAt }: NewMail): Promise<void> {
  const id = newId(at)
  const { keyId, sealed } = sealText(keyring, 'mail', id, JSON.stringify(mail))
  await tx.repo(mails).insert({ id, kind, sealed, keyId, nextTryAt: at, createdAt: at, expiresAt })
}

/** Whoever takes them has until `leaseUntil`; then they are free again, should the taker have died. */
export async function takeMails(
  db: Queryable,
  keyring: Keyring,
  { at, leaseUntil, limit }: { at: Date; leaseUntil: Date; limit: number },
): Promise<MailToSend[]> {
  const rows = await db.sql<Sealed & Omit<MailToSend, 'mail'>>`
    UPDATE mails SET tries = tries + 1, next_try_at = ${leaseUntil} WHERE id IN (
      SELECT id FROM mails WHERE sealed IS NOT NULL AND next_try_at <= ${at} AND expires_at > ${at}
      ORDER BY next_try_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) RETURNING id, kind, tries, sealed, key_id`
  return rows.map(({ id, kind, tries, ...seal }) => ({
    id,
    kind,
    tries,
    mail: openMail(keyring, id, seal),
  }))
}

/** One that cannot be opened must not keep those from being sent that were taken with it. */
function openMail(keyring: Keyring, id: string, seal: Sealed): OutgoingMail | null {
  try {
    return JSON.parse(openText(keyring, 'mail', id, seal))
  } catch {
    return null
  }
}

/** Its words are wiped. Null where it was not sent and never will be. */
export async function finishMail(db: Queryable, id: string, sentAt: Date | null): Promise<void> {
  await db.sql`UPDATE mails SET sealed = NULL, sent_at = ${sentAt} WHERE id = ${id}`
}

export async function putMailOff(db: Queryable, id: string, until: Date): Promise<void> {
  await db.sql`UPDATE mails SET next_try_at = ${until} WHERE id = ${id}`
}

export async function forgetMails(db: Queryable, before: Date): Promise<void> {
  await db.sql`DELETE FROM mails WHERE expires_at < ${before}`
}
