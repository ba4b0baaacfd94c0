// Sends mails over SMTP and says of each what became of it; whether and when to try again is the caller's to decide.
import type { Readable } from 'node:stream'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { assert } from '../domain/assert'

export interface Mailbox {
  /** Empty where there is only the address. */
  readonly name: string
  readonly address: string
}

export interface Mail {
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same for every try, such as <invoice-1@example.com>, so that a second copy can be told from a second mail. */
  readonly messageId: string
  readonly attachments: readonly Attachment[]
}

export interface Attachment {
  readonly name: string
  readonly type: string
  readonly content: Buffer
}

/** The reason is a code and never the server's words: those quote addresses. */
export type Sent =
  | { readonly outcome: 'sent' }
  /** Surely not sent: the server was away, busy, or said no for now. */
  | { readonly outcome: 'later'; readonly reason: string }
  /** The server has every byte of it, and its last word is not known: it may have arrived. */
  | { readonly outcome: 'perhaps'; readonly reason: string }
  /** This recipient, or this mail for them, will not be taken. */
  | { readonly outcome: 'refused'; readonly reason: string }

export interface Mailer {
  readonly send: (mail: Mail) => Promise<Sent>
  readonly close: () => void
}

export interface MailerOptions {
  readonly smtpUrl: string
  readonly from: Mailbox
  /** For each of: the name, the connection, the greeting. */
  readonly connectTimeoutMs?: number
  /** For each answer of the server's from then on; a server that scans what it is given takes its time for the last one. */
  readonly answerTimeoutMs?: number
}

/** Ten minutes, as RFC 5321 (4.5.3.2.6) wants it: who gives up on the last answer earlier sends copies. */
export const mailerLimits = { connectTimeoutMs: 10_000, answerTimeoutMs: 600_000 } as const

export function createMailer(options: MailerOptions): Mailer {
  const { smtpUrl, from, connectTimeoutMs, answerTimeoutMs } = { ...mailerLimits, ...options }
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    // For a connection that the server dropped while it was idle: only as long as no byte of the mail was sent, because
    // one whose connection broke later may have arrived, and only the caller knows whether to risk a second one.
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
      assert(/^<[^\s<>@]+@[^\s<>@]+>$/.test(messageId), 'a Message-ID must be one word with an @ in angle brackets')
      if (!isAddress(to.address)) return { outcome: 'refused', reason: 'invalid_address' }
      let isHandedOver = false
      const mail = {
        // Objects, because in a text of addresses a line break or a colon would name further recipients.
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
        // Nobody's holiday answer is wanted.
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

/** Stricter than the standard, which also allows quotes and comments; what is left can not be read as two addresses. */
function isAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u.test(address)
}

function cleaned({ name, address }: Mailbox): Mailbox {
  return { name: oneLine(name), address }
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** Called when the last byte of the mail is read, which is before the server gets the mark of its end. */
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
 * A lasting refusal (5xx) counts as one only where it is about the recipient or the mail, not about us and our password. What
 * the server said no to it has not taken; without its word, who has all the bytes may have.
 */
function judge(error: unknown, bytes: 'handed over' | 'not handed over'): Sent {
  const { code, command, responseCode = 0 }: Trouble = typeof error === 'object' && error !== null ? error : {}
  const reason = `${responseCode || (code ?? 'unknown')}`
  if (bytes === 'handed over' && responseCode < 400) return { outcome: 'perhaps', reason }
  const isAboutTheMail = command === 'RCPT TO' || command === 'DATA'
  return { outcome: isAboutTheMail && responseCode >= 500 ? 'refused' : 'later', reason }
}

/** What nodemailer adds to an error. */
interface Trouble {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
}
