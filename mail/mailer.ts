// Sends emails over SMTP and returns the outcome of each. The caller decides whether and when to retry.
import type { Readable } from 'node:stream'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { assert } from '../domain/assert'

interface Mailbox {
  /** Empty if only the email address is known. */
  readonly name: string
  readonly address: string
}

export interface Mail {
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Such as <invoice-1@example.com>. Remains the same on every retry, so that a duplicate can be recognised. */
  readonly messageId: string
  readonly attachments: readonly Attachment[]
}

interface Attachment {
  readonly name: string
  readonly type: string
  readonly content: Buffer
}

/** The reason is a code, never the server's text, which contains addresses. */
export type Sent =
  | { readonly outcome: 'sent' }
  /** The email was not sent, because the server was unreachable or busy, or refused it temporarily. */
  | { readonly outcome: 'later'; readonly reason: string }
  /** The server received every byte, but its final response is unknown. The email may have been delivered. */
  | { readonly outcome: 'perhaps'; readonly reason: string }
  /** The server has permanently refused this recipient or this email. */
  | { readonly outcome: 'refused'; readonly reason: string }

export interface Mailer {
  readonly send: (mail: Mail) => Promise<Sent>
  readonly close: () => void
}

export interface MailerOptions {
  readonly smtpUrl: string
  readonly from: Mailbox
  /** The timeout for each step: DNS lookup, connection and greeting. */
  readonly connectTimeoutMs?: number
  /** The timeout for each later response. A server that scans emails may take long to send its final response. */
  readonly answerTimeoutMs?: number
}

/**
 * Allows ten minutes for a response, as RFC 5321 (4.5.3.2.6) recommends. A shorter timeout for the last response can
 * cause duplicates.
 */
export const mailerLimits = { connectTimeoutMs: 10_000, answerTimeoutMs: 600_000 } as const

export function createMailer(options: MailerOptions): Mailer {
  const { smtpUrl, from, connectTimeoutMs, answerTimeoutMs } = { ...mailerLimits, ...options }
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    // Retries once if the server has dropped an idle connection, and only if no byte of the email was sent. If the
    // connection breaks later, the email may have arrived, and only the caller can accept the risk of a duplicate.
    maxRequeues: 1,
    idleTimeout: 30_000,
    dnsTimeout: connectTimeoutMs,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: answerTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.use('stream', tellWhenHandedOver)
  return {
    async send({ to, subject, text, html, messageId, attachments }) {
      assert(/^<[^\s<>@]+@[^\s<>@]+>$/.test(messageId), 'a Message-ID must look like <id@domain>')
      if (!isAddress(to.address)) return { outcome: 'refused', reason: 'invalid_address' }
      let isHandedOver = false
      const mail = {
        // Addresses are objects, because in a string a line break or a colon could add recipients.
        from: cleaned(from),
        to: cleaned(to),
        subject: oneLine(subject),
        text,
        html,
        messageId,
        attachments: attachments.map(({ name, type, content }) => ({
          filename: oneLine(name),
          contentType: type,
          content,
        })),
        // Suppresses automatic replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
        onHandedOver: () => {
          isHandedOver = true
        },
      }
      try {
        await transport.sendMail(mail)
        return { outcome: 'sent' }
      } catch (error) {
        return judge(error, isHandedOver ? 'handed over' : 'not handed over')
      }
    },
    close: () => transport.close(),
  }
}

/** Stricter than the standard, which also allows quotes and comments. So no server can parse one address as two. */
function isAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u.test(address)
}

function cleaned({ name, address }: Mailbox): Mailbox {
  return { name: oneLine(name), address }
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** Signals when the last byte of the email has been read, which is before the server receives the end marker. */
function tellWhenHandedOver(mail: MailInHand, done: () => void): void {
  const { onHandedOver } = mail.data
  mail.message.processFunc((bytes) => (onHandedOver ? bytes.once('end', onHandedOver) : bytes))
  done()
}

interface MailInHand {
  readonly message: { processFunc(process: (bytes: Readable) => Readable): void }
  readonly data: SendMailOptions & { readonly onHandedOver?: () => void }
}

/**
 * A refusal is permanent only if it has a 5xx code and concerns the recipient or the email, not our login. A refused
 * email is not delivered. Without a response, a server that has received all bytes may still deliver the email.
 */
function judge(error: unknown, bytes: 'handed over' | 'not handed over'): Sent {
  const { code, command, responseCode = 0 }: Trouble = typeof error === 'object' && error !== null ? error : {}
  const reason = `${responseCode || (code ?? 'unknown')}`
  if (bytes === 'handed over' && responseCode < 400) return { outcome: 'perhaps', reason }
  const isAboutTheMail = command === 'RCPT TO' || command === 'DATA'
  return { outcome: isAboutTheMail && responseCode >= 500 ? 'refused' : 'later', reason }
}

/** The fields that nodemailer adds to an error. */
interface Trouble {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
}
