// The outbox for emails. The transaction that causes an email also seals and stores it. Only one sender at a time can
// claim an email.
import { bytes, entity, id, integer, orNull, text, time, withDefault } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import type { Keyring } from '../keyring'
import { openText, type Sealed, sealText } from '../seal'

export const mailKinds = ['sign_in', 'sign_up', 'invitation', 'confirm', 'notice'] as const
export type MailKind = (typeof mailKinds)[number]

export interface MailRow {
  readonly id: string
  readonly kind: MailKind
  readonly sealed: Buffer | null
  readonly keyId: string
  readonly tries: number
  readonly nextTryAt: Date
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly sentAt: Date | null
}

export const mails = entity<MailRow>('Mail', 'mails', {
  id,
  kind: text,
  sealed: orNull(bytes),
  keyId: text,
  tries: withDefault(integer, 0),
  nextTryAt: time,
  createdAt: time,
  expiresAt: time,
  sentAt: orNull(time),
})

export interface OutgoingMail {
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface NewMail {
  /**
   * Only members get a `sign_in` mail. Until the mail is created, the request takes the same time for an unknown
   * address, so its timing does not reveal who is a member.
   */
  readonly kind: MailKind
  readonly mail: OutgoingMail
  readonly at: Date
  /** The email is not sent after this time. */
  readonly expiresAt: Date
}

export interface MailToSend {
  readonly id: string
  readonly kind: MailKind
  readonly tries: number
  /** Null if the email cannot be opened, because this process does not have its secret key. */
  readonly mail: OutgoingMail | null
}

export async function enqueueMail(tx: Tx, keyring: Keyring, { kind, mail, at, expiresAt }: NewMail): Promise<void> {
  const mailId = newId(at)
  const { keyId, sealed } = sealText(keyring, 'mail', mailId, JSON.stringify(mail))
  await tx.repo(mails).insert({ id: mailId, kind, sealed, keyId, nextTryAt: at, createdAt: at, expiresAt })
}

const noticeExpiresMs = 3 * 24 * 60 * 60 * 1000

export function enqueueNotice(tx: Tx, keyring: Keyring, { mail, at }: Pick<NewMail, 'mail' | 'at'>): Promise<void> {
  return enqueueMail(tx, keyring, { kind: 'notice', mail, at, expiresAt: new Date(at.getTime() + noticeExpiresMs) })
}

/** Leases the emails until `leaseUntil`. After that, another sender can claim them, in case this one has crashed. */
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

/** An email that cannot be opened must not block the others in its batch. */
function openMail(keyring: Keyring, id: string, seal: Sealed): OutgoingMail | null {
  try {
    return JSON.parse(openText(keyring, 'mail', id, seal))
  } catch {
    return null
  }
}

/** Erases the content. `sentAt` is null if the email was not sent and never will be. */
export async function finishMail(db: Queryable, id: string, sentAt: Date | null): Promise<void> {
  await db.sql`UPDATE mails SET sealed = NULL, sent_at = ${sentAt} WHERE id = ${id}`
}

export async function postponeMail(db: Queryable, id: string, until: Date): Promise<void> {
  await db.sql`UPDATE mails SET next_try_at = ${until} WHERE id = ${id}`
}

export async function deleteExpiredMails(db: Queryable, before: Date): Promise<void> {
  await db.sql`DELETE FROM mails WHERE expires_at < ${before}`
}
