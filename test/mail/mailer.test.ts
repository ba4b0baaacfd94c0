// The mailer over real SMTP: to the local inbox, to servers that refuse, and to servers that do not answer.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { msToNumber } from '@temporalio/common/lib/time'
import { SMTPServer } from 'smtp-server'
import { createMailer, type Mail, type Mailer, type MailerOptions, mailerLimits } from '../../mail/mailer'
import { mailInvoiceOptions } from '../../workflows/invoices/mail'
import { aSlowServer } from '../support/mail/a-slow-server'
import { anInbox, type TestInbox } from '../support/mail/an-inbox'

const from = { name: 'Example Billing', address: 'billing@example.test' }

let inbox: TestInbox
let mailer: Mailer

beforeAll(async () => {
  inbox = await anInbox()
  mailer = createMailer({ smtpUrl: inbox.smtpUrl, from })
})

afterEach(() => fetch(`${inbox.url}/messages.json`, { method: 'DELETE' }))

afterAll(async () => {
  mailer.close()
  await inbox.remove()
})

describe('an email that is sent', () => {
  test('is in the inbox with its text, its Message-ID and its attachment byte for byte', async () => {
    const content = randomBytes(200_000)
    const pdf = { name: 'INV-2026-000123.pdf', type: 'application/pdf', content }

    expect(await mailer.send(aMail({ attachments: [pdf] }))).toEqual({ outcome: 'sent' })

    const [message, ...others] = await inbox.messages()
    expect(others).toEqual([])
    expect(message).toMatchObject({
      envelope: { from: 'billing@example.test', to: ['ada@acme.test'] },
      message_id: '<invoice-1@example.test>',
      from: 'Example Billing <billing@example.test>',
      to: ['Łukasz Żółć <ada@acme.test>'],
      subject: 'Invoice for Ærøskøbing – 1.00 £',
      text: expect.stringContaining('plain words'),
      html: expect.stringContaining('<b>'),
      attachments: [{ name: 'INV-2026-000123.pdf', type: 'application/pdf', size_bytes: 200_000 }],
    })
    expect((await inbox.bytes(message?.attachments[0]?.path ?? '')).equals(content)).toBe(true)
  })

  test('is marked as automatically generated', async () => {
    await mailer.send(aMail())

    const [message] = await inbox.messages()
    expect((await inbox.bytes(`/messages/${message?.id}/raw`)).toString()).toContain('Auto-Submitted: auto-generated')
  })

  test('is delivered once, even when fifty are sent concurrently', async () => {
    const sent = await Promise.all(Array.from({ length: 50 }, (_, n) => mailer.send(aMail({ subject: `mail ${n}` }))))

    expect(new Set(sent.map(({ outcome }) => outcome))).toEqual(new Set(['sent']))
    expect(new Set((await inbox.messages()).map(({ subject }) => subject)).size).toBe(50)
  })
})

describe('untrusted text', () => {
  test.each([
    ['a line break', 'x@acme.test\r\nBcc: evil@evil.test'],
    ['a second address', 'x@acme.test, evil@evil.test'],
    ['a group address', 'x@acme.test: evil@evil.test;'],
    ['angle brackets', 'x <evil@evil.test>'],
    ['a quoted part', '"evil@evil.test x"@acme.test'],
    ['no characters', ''],
  ])('an address with %s is refused permanently and no email is sent', async (_what, address) => {
    const sent = await mailer.send(aMail({ to: { name: 'Ada', address } }))

    expect(sent).toEqual({ outcome: 'refused', reason: 'invalid_address' })
    expect(await inbox.messages()).toEqual([])
  })

  test.each([
    ['name', { to: { name: 'Ada\r\nBcc: evil@evil.test', address: 'ada@acme.test' } }],
    ['name that looks like addresses', { to: { name: 'x@y.test, "E" <evil@evil.test>', address: 'ada@acme.test' } }],
    ['subject', { subject: 'Hello\r\nBcc: evil@evil.test\r\n\r\nbody' }],
    ['subject with other line ends', { subject: 'Hello\u2028Bcc: evil@evil.test\u0085x\u0000' }],
    [
      'file name',
      { attachments: [{ name: 'a"\r\nBcc: evil@evil.test.pdf', type: 'text/csv', content: Buffer.from('x') }] },
    ],
  ] satisfies [string, Partial<Mail>][])('a %s cannot add a header or a recipient', async (_what, change) => {
    expect(await mailer.send(aMail(change))).toEqual({ outcome: 'sent' })

    const [message] = await inbox.messages()
    const raw = (await inbox.bytes(`/messages/${message?.id}/raw`)).toString()
    expect(message?.envelope.to).toEqual(['ada@acme.test'])
    expect(message?.to).toHaveLength(1)
    expect(raw).not.toMatch(/^bcc:/im)
  })

  test('an invalid Message-ID throws', async () => {
    await expect(mailer.send(aMail({ messageId: '<a@b>\r\nBcc: evil@evil.test' }))).rejects.toThrow('Message-ID')
  })
})

describe('an email that is not sent', () => {
  test.each([
    ['the recipient is unknown', 'rcpt', 550, 'refused'],
    ['the recipient is temporarily refused', 'rcpt', 450, 'later'],
    ['the email is rejected', 'data', 554, 'refused'],
    ['the server is full', 'data', 452, 'later'],
    ['the server rejects us', 'mail', 550, 'later'],
  ] as const)('when %s (%s, %i), has the outcome "%s"', async (_what, at, responseCode, outcome) => {
    const error = Object.assign(new Error('ada@acme.test is not wanted'), { responseCode })
    const server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onMailFrom: (_address, _session, done) => done(at === 'mail' ? error : null),
      onRcptTo: (_address, _session, done) => done(at === 'rcpt' ? error : null),
      onData: (stream, _session, done) => void stream.resume().once('end', () => done(at === 'data' ? error : null)),
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

    expect(await sendTo(server.server)).toEqual({ outcome, reason: String(responseCode) })
    await new Promise<void>((resolve) => server.close(resolve))
  })

  test('has the outcome "later" when the server is unavailable', async () => {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const smtpUrl = urlOf(server)
    await new Promise((resolve) => server.close(resolve))
    const unavailable = createMailer({ smtpUrl, from })

    expect(await unavailable.send(aMail())).toMatchObject({ outcome: 'later', reason: 'ESOCKET' })
    unavailable.close()
  })

  test('has the outcome "later" within the time limits when the server does not greet, disconnects or stops answering', async () => {
    const greeting = '220 hello\r\n'
    const limits = { connectTimeoutMs: 300, answerTimeoutMs: 600 }
    const silent = createServer((socket) => void socket.resume())
    const rude = createServer((socket) => socket.end())
    const tired = createServer((socket) => void socket.resume().write(greeting))
    for (const server of [silent, rude, tired]) await once(server.listen(0, '127.0.0.1'), 'listening')
    const startedMs = performance.now()

    const sent = await Promise.all([silent, rude, tired].map((server) => sendTo(server, limits)))

    expect(sent.map(({ outcome }) => outcome)).toEqual(['later', 'later', 'later'])
    expect(performance.now() - startedMs).toBeLessThan(5_000)
    for (const server of [silent, rude, tired]) server.close()
  })

  test('is sent by the next attempt, which opens a new connection', async () => {
    const dataDir = inbox.dataDir
    const smtpPort = Number(new URL(inbox.smtpUrl).port)
    await inbox.close()
    const during = await mailer.send(aMail())
    inbox = await anInbox({ dataDir, smtpPort })

    expect(during.outcome).toBe('later')
    expect(await mailer.send(aMail())).toEqual({ outcome: 'sent' })
  })
})

describe('the outcome of an email once the server receives it', () => {
  test('is "perhaps" if the server disconnects before its final reply, with no automatic second attempt', async () => {
    const server = await aSlowServer((socket) => socket.destroy())

    expect(await sendTo(server.server)).toEqual({ outcome: 'perhaps', reason: 'ECONNECTION' })
    expect(server.taken()).toBe(1)
    await server.close()
  })

  test('is "perhaps" if the server’s final reply exceeds the timeout', async () => {
    const server = await aSlowServer(() => undefined)

    const sent = await sendTo(server.server, { answerTimeoutMs: 2_000 })

    expect(sent).toEqual({ outcome: 'perhaps', reason: 'ETIMEDOUT' })
    expect(server.taken()).toBe(1)
    await server.close()
  })

  test('is "sent" if the server’s final reply is slow, but within the timeout', async () => {
    const server = await aSlowServer((_socket, accept) => void setTimeout(accept, 2_500))

    expect(await sendTo(server.server, { connectTimeoutMs: 2_000, answerTimeoutMs: 60_000 })).toEqual({
      outcome: 'sent',
    })
    await server.close()
  })

  test('is "later" if the server’s final reply is 421, because it did not accept the email', async () => {
    const server = await aSlowServer((socket) => socket.end('421 closing\r\n'))

    expect(await sendTo(server.server)).toEqual({ outcome: 'later', reason: '421' })
    await server.close()
  })

  test('is "later" if the server disconnects in the middle of the email, because it cannot have accepted it', async () => {
    const server = await aSlowServer((socket) => socket.destroy(), 'at the first bytes')
    const content = randomBytes(20_000_000)

    const sent = await sendTo(server.server, {}, { attachments: [{ name: 'a.pdf', type: 'application/pdf', content }] })

    expect(sent.outcome).toBe('later')
    await server.close()
  })

  test('is awaited for ten minutes per reply, and the activity’s timeout exceeds the sum', () => {
    const { connectTimeoutMs, answerTimeoutMs } = mailerLimits
    // The mailer waits for ten replies: to EHLO, STARTTLS, EHLO, AUTH in three steps, MAIL, RCPT, DATA and the email. It
    // may repeat all of them over a new connection.
    const togetherMs = 2 * (3 * connectTimeoutMs + 10 * answerTimeoutMs)

    expect(answerTimeoutMs).toBeGreaterThanOrEqual(600_000)
    expect(msToNumber(mailInvoiceOptions.startToCloseTimeout)).toBeGreaterThan(togetherMs)
  })
})

async function sendTo(
  server: Pick<Server, 'address'>,
  limits: Partial<MailerOptions> = {},
  change: Partial<Mail> = {},
) {
  const one = createMailer({ smtpUrl: urlOf(server), from, ...limits })
  const sent = await one.send(aMail(change))
  one.close()
  return sent
}

function urlOf(server: Pick<Server, 'address'>): string {
  const address = server.address()
  return `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

function aMail(change: Partial<Mail> = {}): Mail {
  return {
    to: { name: 'Łukasz Żółć', address: 'ada@acme.test' },
    subject: 'Invoice for Ærøskøbing – 1.00 £',
    text: 'plain words',
    html: '<b>rich words</b>',
    messageId: '<invoice-1@example.test>',
    attachments: [],
    ...change,
  }
}
