// A mail inbox in this process, for main and for tests: SMTP in, HTTP out, and the mails kept in a folder.

import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '../../runtime/clock'
import { createInboxServer } from './http'
import { openMailbox } from './mailbox'
import { createSmtpServer } from './smtp'

export interface InboxOptions {
  readonly dataDir: string
  /** 0 for one that is free. */
  readonly smtpPort: number
  readonly httpPort: number
  readonly keepMax?: number
  readonly clock?: Clock
}

export interface Inbox {
  /** What SMTP_URL has to be. */
  readonly smtpUrl: string
  readonly url: string
  readonly close: () => Promise<void>
}

/** Only this machine may come in: there are sign-in codes in the mails. */
const host = '127.0.0.1'

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
    // A sender that goes away in the middle of a mail is its own trouble.
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
