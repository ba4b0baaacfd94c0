// Emails caused by requests are sent asynchronously and once, with retries, even after a crash, and are then erased.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { IsNull, MoreThan, Not } from 'typeorm'
import { createMailSender, type MailSender } from '../../api/mail-sender'
import { rateLimit } from '../../db/controls/rate-limits'
import { openKeyring } from '../../db/keyring'
import { enqueueMail, type MailKind, type MailRow, mails, takeMails } from '../../db/partners/mails'
import { createMailer, type Mailer } from '../../mail/mailer'
import { testKeyring } from '../support/api/client'
import { aClock } from '../support/api/fixtures'
import { useDatabase } from '../support/db/database'
import { keptLog } from '../support/kept-logs'
import { anInbox, type TestInbox } from '../support/mail/an-inbox'
import { until } from '../support/until'

const clock = aClock('2026-11-16T12:00:00Z')
const log = keptLog()
const db = useDatabase(5)
let inbox: TestInbox
let mailer: Mailer

beforeAll(async () => {
  inbox = await anInbox()
  mailer = createMailer({ smtpUrl: inbox.smtpUrl, from: { name: 'Payouts', address: 'codes@payouts.test' } })
})
afterAll(async () => {
  mailer.close()
  await inbox.remove()
})

test('an email is sent once, however many senders poll, and then erased', async () => {
  await aMail('once@people.test')
  const senders = [aSender(), aSender(), aSender()]

  for (const sender of senders) sender.wake()
  const row = await until(
    'it is sent',
    lastWhere(({ sentAt }) => sentAt !== null),
  )
  for (const sender of senders) await sender.close()

  expect(await idsOf('once@people.test')).toEqual([`<${row.id}@mail.payouts>`])
  expect(row.sealed).toBeNull()
})

test('an unreachable mail server is retried, and the email keeps its ID', async () => {
  clock.set('2026-11-16T13:00:00Z')
  await aMail('patient@people.test')
  await inbox.close()
  const sender = aSender()

  sender.wake()
  const isPutOff = ({ tries, nextTryAt }: MailRow) => tries === 1 && nextTryAt <= at(1_000)
  const putOff = await until('the email is delayed', lastWhere(isPutOff))
  inbox = await anInbox({ dataDir: inbox.dataDir, smtpPort: Number(new URL(inbox.smtpUrl).port) })
  clock.set('2026-11-16T13:00:01Z')
  sender.wake()
  const row = await until(
    'it is sent',
    lastWhere(({ sentAt }) => sentAt !== null),
  )
  await sender.close()

  expect(putOff.sealed).not.toBeNull()
  expect([row.tries, await idsOf('patient@people.test')]).toEqual([2, [`<${putOff.id}@mail.payouts>`]])
})

test('an email claimed by a process that died is sent by another one after a minute', async () => {
  clock.set('2026-11-16T14:00:00Z')
  await aMail('orphan@people.test')
  await takeMails(db, testKeyring, { at: clock.now(), leaseUntil: at(60_000), limit: 10 })
  const sender = aSender()

  clock.set('2026-11-16T14:00:59Z')
  sender.wake()
  await sender.close()
  const early = await idsOf('orphan@people.test')
  clock.set('2026-11-16T14:01:00Z')
  const next = aSender()
  next.wake()
  await until(
    'it is sent',
    lastWhere(({ sentAt }) => sentAt !== null),
  )
  await next.close()

  expect([early.length, (await idsOf('orphan@people.test')).length]).toEqual([0, 1])
})

test('an email to a rejected address is not retried, and is erased', async () => {
  clock.set('2026-11-16T15:00:00Z')
  await aMail('two@people.test, addresses@people.test')
  const sender = aSender()

  sender.wake()
  const row = await until(
    'it is given up',
    lastWhere(({ sealed }) => sealed === null),
  )
  clock.set('2026-11-16T15:05:00Z')
  sender.wake()
  await sender.close()

  expect([row.tries, row.sentAt]).toEqual([1, null])
  expect((await lastWhere(() => true)())?.tries).toBe(1)
})

test('an email that cannot be decrypted is skipped and kept, and the rest of its batch is sent', async () => {
  clock.set('2026-11-16T15:30:00Z')
  const otherKeyring = openKeyring([{ id: 'k9', bytes: Buffer.alloc(32, 9) }])
  await aMail('unreadable@people.test', 'notice', otherKeyring)
  for (const name of ['one', 'two', 'three', 'four']) await aMail(`${name}-of-four@people.test`)
  const sender = aSender()

  sender.wake()
  await until('the others are sent', async () => (await waitingMails()).length === 1)
  await sender.close()

  const [left] = await waitingMails()
  expect([left?.kind, left?.keyId, left?.tries, left?.nextTryAt]).toEqual(['notice', 'k9', 1, at(1_000)])
  expect((await inbox.messages()).filter(({ envelope }) => /-of-four@/.test(envelope.to.join()))).toHaveLength(4)
})

test('a code that is no longer valid is not emailed', async () => {
  clock.set('2026-11-16T16:00:00Z')
  await aMail('late@people.test', 'sign_up')
  clock.set('2026-11-16T16:10:00Z')
  const sender = aSender()

  sender.wake()
  await sender.close()

  expect(await idsOf('late@people.test')).toEqual([])
})

test('expired emails and unused rate limits are deleted after a day', async () => {
  clock.set('2026-11-16T17:00:00Z')
  const sender = aSender()
  const buckets = db.dataSource.getRepository(rateLimit)
  const [old, recent] = [new Date('2026-11-17T16:59:59Z'), new Date('2026-11-17T17:00:01Z')]
  await buckets.insert({ bucket: 'codes/old', tokensMilli: 0n, at: old })
  await buckets.insert({ bucket: 'codes/recent', tokensMilli: 0n, at: recent })
  clock.set('2026-11-18T17:00:00Z')

  sender.wake()
  await sender.close()

  expect(await db.dataSource.getRepository(mails).count()).toBe(0)
  expect((await buckets.find()).map(({ bucket }) => bucket)).toEqual(['codes/recent'])
})

function aSender(): MailSender {
  return createMailSender({ db, keyring: testKeyring, mailer, clock, log })
}

function aMail(address: string, kind: MailKind = 'invitation', keyring = testKeyring): Promise<void> {
  const mail = { to: { name: '', address }, subject: 'Hello', text: 'Hello', html: '<p>Hello' }
  return db.transaction((tx) => enqueueMail(tx, keyring, { kind, mail, at: clock.now(), expiresAt: at(600_000) }))
}

/** The emails that are neither erased nor expired. */
function waitingMails(): Promise<MailRow[]> {
  return db.dataSource.getRepository(mails).findBy({ sealed: Not(IsNull()), expiresAt: MoreThan(clock.now()) })
}

async function idsOf(address: string): Promise<(string | null)[]> {
  const all = await inbox.messages()
  return all.filter(({ envelope }) => envelope.to.includes(address)).map(({ message_id }) => message_id)
}

function lastWhere(isMeant: (mail: MailRow) => boolean): () => Promise<MailRow | null> {
  return async () => {
    const [last] = await db.dataSource.getRepository(mails).find({ order: { createdAt: 'DESC' }, take: 1 })
    return last && isMeant(last) ? last : null
  }
}

function at(ms: number): Date {
  return new Date(clock.now().getTime() + ms)
}
