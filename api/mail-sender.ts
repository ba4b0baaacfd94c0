// Sends queued emails in the background, with retries, including emails that a crashed process left behind. Also
// deletes expired codes, emails and sessions.
import { randomInt } from 'node:crypto'
import { deleteIdleRateLimits } from '../db/controls/rate-limits'
import type { Db } from '../db/database'
import type { Keyring } from '../db/keyring'
import { deleteExpiredMails, finishMail, type MailToSend, postponeMail, takeMails } from '../db/partners/mails'
import { isMember } from '../db/partners/members'
import { deleteExpiredCodes } from '../db/sign-in/codes'
import { deleteExpiredSessions } from '../db/sign-in/sessions'
import type { Mailer } from '../mail/mailer'
import type { Clock } from '../runtime/clock'
import type { Log } from '../runtime/log'

export interface MailSender {
  /** Triggers a run for a new email. Does not wait for the email to be sent. */
  wake(): void
  /** Resolves when the emails in progress have been sent or postponed. */
  close(): Promise<void>
}

interface MailSenderParts {
  readonly db: Db
  readonly keyring: Keyring
  /** Null without a mail server: emails wait, and are deleted when they expire. */
  readonly mailer: Mailer | null
  readonly clock: Clock
  readonly log: Log
}

const lookEveryMs = 2_000
/**
 * Delays the email, because only known addresses get one. Sending it immediately would slow down the next request and
 * reveal that the address is known.
 */
const wakeAfterMs = [100, 400] as const
const atOnce = 5
/** Must be longer than the timeouts of the mailer. Otherwise a slow email could be sent twice. */
const leaseMs = 60_000
const longestPauseMs = 30_000
const deleteEveryMs = 60 * 60 * 1000
const keepForMs = 24 * 60 * 60 * 1000

export function createMailSender(parts: MailSenderParts): MailSender {
  const { db, keyring, mailer, clock, log } = parts
  let sending: Promise<void> | null = null
  let wanted = false
  let waking: NodeJS.Timeout | null = null
  let deletedAt = clock.now().getTime()
  const timer = setInterval(look, lookEveryMs)
  timer.unref()

  function look(): void {
    if (waking !== null) clearTimeout(waking)
    waking = null
    wanted = true
    sending ??= sendAll().finally(() => {
      sending = null
    })
  }

  async function sendAll(): Promise<void> {
    try {
      if (mailer !== null) await sendWanted(mailer)
      await deleteOld()
    } catch (error) {
      log.warn({ err: error }, 'cannot process queued emails')
    }
  }

  /** An email that arrives during a run triggers another run. */
  async function sendWanted(by: Mailer): Promise<void> {
    while (wanted) {
      wanted = false
      if ((await sendSome(by)) === atOnce) wanted = true
    }
  }

  async function sendSome(by: Mailer): Promise<number> {
    const at = clock.now()
    const taken = await takeMails(db, keyring, { at, leaseUntil: later(at, leaseMs), limit: atOnce })
    await Promise.all(taken.map((each) => sendOne(by, each)))
    return taken.length
  }

  async function sendOne(by: Mailer, { id, kind, tries, mail }: MailToSend): Promise<void> {
    if (mail === null) {
      log.error({ mail_id: id, kind }, 'cannot decrypt mail with our secret keys; postponed')
      // Retry with backoff until the email expires: during a key rotation another process may have the key.
      return postponeMail(db, id, later(clock.now(), 1_000 * 2 ** Math.min(tries - 1, 20)))
    }
    // An unknown address gets no email. Up to this point, known and unknown addresses take the same time.
    if (kind === 'sign_in' && !(await isMember(db, mail.to.address, clock.now()))) return finishMail(db, id, null)
    const sent = await by.send({ ...mail, messageId: `<${id}@mail.payouts>`, attachments: [] })
    if (sent.outcome === 'sent') return finishMail(db, id, clock.now())
    log.warn({ mail_id: id, kind, reason: sent.reason }, `mail not sent: ${sent.outcome}`)
    if (sent.outcome === 'refused') return finishMail(db, id, null)
    await postponeMail(db, id, later(clock.now(), Math.min(longestPauseMs, 1_000 * 2 ** (tries - 1))))
  }

  async function deleteOld(): Promise<void> {
    const now = clock.now()
    if (now.getTime() - deletedAt < deleteEveryMs) return
    deletedAt = now.getTime()
    const before = later(now, -keepForMs)
    for (const remove of [deleteExpiredCodes, deleteExpiredMails, deleteExpiredSessions, deleteIdleRateLimits])
      await remove(db, before)
  }

  return {
    wake() {
      waking ??= setTimeout(look, randomInt(...wakeAfterMs))
    },
    async close() {
      clearInterval(timer)
      if (waking !== null) look()
      await sending
    },
  }
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
