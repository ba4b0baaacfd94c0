// Runs a mail inbox in this process, for main.ts and for tests. Receives emails by SMTP, stores them in a folder and
// serves them by HTTP.

import type { AddressInfo } from 'node:net'
import { callbackify } from 'node:util'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { type Clock, systemClock } from '../../runtime/clock'
import { createInboxServer } from './http'
import { type Mailbox, openMailbox } from './mailbox'

export interface InboxOptions {
  readonly dataDir: string
  /** 0 chooses a free port. */
  readonly smtpPort: number
  readonly httpPort: number
  readonly keepMax?: number
  readonly clock?: Clock
}

export interface Inbox {
  /** Value for SMTP_URL. */
  readonly smtpUrl: string
  readonly url: string
  readonly close: () => Promise<void>
}

/** Reachable from this machine only, because emails contain sign-in codes. */
const host = '127.0.0.1'

const sizeMaxBytes = 20 * 1024 * 1024

export async function startInbox(options: InboxOptions): Promise<Inbox> {
  const { dataDir, smtpPort, httpPort, keepMax = 200, clock = systemClock } = options
  const mailbox = await openMailbox({ folder: dataDir, keepMax, clock })
  const smtp = createSmtpServer(mailbox)
  const http = createInboxServer(mailbox)
  const close = async () => {
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    http.closeAllConnections()
    await Promise.all([closed, new Promise<void>((resolve) => smtp.close(() => resolve()))])
  }
  try {
    const listening = await Promise.all([listen(smtp, smtp.server, smtpPort), listen(http, http, httpPort)])
    // A sender that disconnects in the middle of an email must not stop the inbox.
    smtp.on('error', () => {})
    return { smtpUrl: `smtp://${host}:${listening[0]}`, url: `http://${host}:${listening[1]}`, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Listening {
  listen(port: number, host: string, done: () => void): unknown
  once(event: 'error', listener: (error: Error) => void): unknown
}

function listen(server: Listening, bound: { address(): AddressInfo | string | null }, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = bound.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** Accepts emails for any recipient, and confirms each one once it is stored. */
function createSmtpServer(mailbox: Mailbox): SMTPServer {
  return new SMTPServer({
    banner: 'Payouts mail inbox: emails are not forwarded',
    // Emails do not leave this machine, and there is no certificate for TLS.
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: sizeMaxBytes,
    closeTimeout: 500,
    onData: callbackify((stream: SMTPServerDataStream, session: SMTPServerSession) => store(mailbox, stream, session)),
  })
}

async function store(mailbox: Mailbox, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
  const pieces: Buffer[] = []
  // Reads an oversized email to its end, because the sender does not expect a response before that.
  for await (const piece of stream) if (!stream.sizeExceeded) pieces.push(piece)
  if (stream.sizeExceeded) throw Object.assign(new Error('The message is larger than 20 MB.'), { responseCode: 552 })
  const { mailFrom, rcptTo } = session.envelope
  const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) }
  await mailbox.add({ envelope, raw: Buffer.concat(pieces) })
}
