// The SMTP side: takes every mail, for whoever it is, and answers only when it is kept.

import { callbackify } from 'node:util'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Mailbox } from './mailbox'

const sizeMaxBytes = 20 * 1024 * 1024

export function createSmtpServer(mailbox: Mailbox): SMTPServer {
  return new SMTPServer({
    banner: 'Payouts mail inbox: nothing is sent on',
    // On one machine there is nobody to hide a mail from, and no certificate to hide it with.
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: sizeMaxBytes,
    closeTimeout: 500,
    onData: callbackify((stream: SMTPServerDataStream, session: SMTPServerSession) => keep(mailbox, stream, session)),
  })
}

async function keep(mailbox: Mailbox, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
  const pieces: Buffer[] = []
  // What is too much is still read to its end, which is what a sender waits for.
  for await (const piece of stream) if (!stream.sizeExceeded) pieces.push(piece)
  if (stream.sizeExceeded) throw Object.assign(new Error('The mail is larger than 20 MB.'), { responseCode: 552 })
  const { mailFrom, rcptTo } = session.envelope
  const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) }
  await mailbox.add({ envelope, raw: Buffer.concat(pieces) })
}
