// Emails to admins: each event is emailed once, related events share one email, and muted events are not
// emailed.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { checkLowBalances, sendNotices } from '../../../activities/partners/notices'
import { type OutgoingMail, takeMails } from '../../../db/partners/mails'
import { insertMember } from '../../../db/partners/members'
import { addNotice, takeNotices } from '../../../db/partners/notices'
import type { PartnerRow } from '../../../db/partners/partners'
import { postSet } from '../../../db/wallets/ledger'
import { reportLowBalances } from '../../../db/wallets/live'
import { findWallet } from '../../../db/wallets/wallets'
import { noticeKinds, type SwitchableNotice } from '../../../domain/partners/partner'
import { debitPostings, topUpPostings } from '../../../domain/wallets/ledger'
import { systemClock } from '../../../runtime/clock'
import { testKeyring } from '../../support/api/client'
import { aPartner, aPayoutRow, changePartner } from '../../support/api/fixtures'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'

interface Mailed {
  readonly kind: string
  readonly mail: OutgoingMail
}

const clock = systemClock
const publicUrl = 'https://payouts.test'
const db = useDatabase()
let partner: PartnerRow
let deps: Parameters<typeof sendNotices>[0]

beforeAll(async () => {
  const log = keptLog()
  deps = { db, clock, log, keyring: testKeyring, publicUrl }
})
beforeEach(async () => {
  partner = await aPartner({ db, clock })
  await signIn()
})
afterEach(async () => {
  await db.dataSource.query('DELETE FROM mails')
  await db.dataSource.query('UPDATE notices SET told_at = now() WHERE told_at IS NULL')
})

const send = () => sendNotices(deps, { limit: 50 })

describe('a live payout that failed', () => {
  test('is emailed to every admin and to no one else, with amount, name, last four digits, reason and a link', async () => {
    await aMember('grace@acme.test', 'admin')
    await aMember('viewer@acme.test', 'viewer')
    await signIn()
    await aMember('invited@acme.test', 'admin')
    const id = await aFailed()

    expect(await send()).toEqual({ told: 1, mails: 2, failed: 0, more: false })

    const mails = await mailed()
    expect(new Set(mails.map(({ mail }) => mail.to.address))).toEqual(
      new Set([partner.contactEmail, 'grace@acme.test']),
    )
    const [first] = mails
    expect(first).toMatchObject({ kind: 'notice', mail: { subject: 'Acme Ltd: A payout failed' } })
    for (const text of [
      '£120.00 to Ada Lovelace\nAccount ending 5678\nThe bank rejected the account details.\n',
      `https://payouts.test/dashboard/payouts/${id}?environment=live`,
    ]) {
      expect(first?.mail.text).toContain(text)
    }
    expect(JSON.stringify(mails)).not.toContain('12345678')
  })

  test('is emailed once, even when five senders run concurrently', async () => {
    await aFailed()

    const sent = await Promise.all(Array.from({ length: 5 }, send))
    await send()

    expect(sent.reduce((sum, { mails }) => sum + mails, 0)).toBe(1)
    expect(await mailed()).toHaveLength(1)
  })

  test('is skipped, without waiting, while another sender is emailing it', async () => {
    await aFailed()
    const group = { partnerId: partner.id, environment: 'live', kind: 'payout_failed' } as const

    await db.transaction(async (tx) => {
      expect(await takeNotices(tx, group, { at: clock.now(), limit: 10 })).toHaveLength(1)
      expect(await send()).toEqual({ told: 0, mails: 0, failed: 0, more: false })
    })

    expect(await send()).toMatchObject({ told: 0, mails: 0 })
  })

  test('is combined with others into one email, which lists twenty and states the total number', async () => {
    for (let count = 0; count < 23; count++) await aFailed()

    expect(await send()).toMatchObject({ told: 23, mails: 1 })

    const [mail] = await mailed()
    expect(mail?.mail.subject).toBe('Acme Ltd: 23 payouts failed')
    expect(mail?.mail.text.match(/Account ending/g)).toHaveLength(20)
    expect(mail?.mail.text).toContain('Showing 20 of 23')
  })

  test('gets its notice from a database trigger, like a returned one, and only in live mode', async () => {
    for (const [environment, kind] of [
      ['live', 'failed'],
      ['live', 'returned'],
      ['live', 'completed'],
      ['sandbox', 'failed'],
    ] as const) {
      const { id } = await aPayoutRow({ db, clock }, partner, { environment })
      await anEvent(id, kind)
    }

    expect(await openNotices()).toEqual(['payout_failed live', 'payout_returned live'])
  })

  test('stays queued when the email could not be stored', async () => {
    await aFailed()
    await db.dataSource.query('ALTER TABLE mails RENAME TO mails_away')

    expect(await send()).toMatchObject({ told: 0, failed: 1, more: false })
    await db.dataSource.query('ALTER TABLE mails_away RENAME TO mails')
    expect(await send()).toMatchObject({ told: 1, mails: 1 })
  })
})

test.each(noticeKinds)('muting %s stops only those emails, and unmuting it does not send them later', async (kind) => {
  await changePartner({ db, clock }, partner, { mutedMails: [kind], lowBalanceMicroUsdc: 1n })
  for (const each of noticeKinds) await aNotice(each)

  await send()
  await changePartner({ db, clock }, partner, { mutedMails: [] })
  await send()

  expect(await mailed()).toHaveLength(noticeKinds.length - 1)
  expect(await openNotices()).toEqual([])
})

describe('while no admin has signed in', () => {
  beforeEach(async () => {
    await db.dataSource.query('UPDATE members SET last_login_at = NULL WHERE partner_id = $1', [partner.id])
  })

  test('the contact address set by an operator gets one email', async () => {
    await changePartner({ db, clock }, partner, { contactEmail: 'desk@acme.test' })
    await aMember('invited@acme.test', 'admin')
    await aFailed()

    expect(await send()).toEqual({ told: 1, mails: 1, failed: 0, more: false })
    const [mail] = await mailed()
    expect(mail?.mail.to.address).toBe('desk@acme.test')
    expect(mail?.mail.text).toContain('Sent to the contact address of Acme Ltd, because no admin has signed in yet.')
    await signIn()
    expect(await send()).toMatchObject({ told: 0, mails: 0 })
  })

  test('notices wait until there is a contact address', async () => {
    await changePartner({ db, clock }, partner, { contactEmail: null })
    await aFailed()
    await aFailed()

    expect(await send()).toEqual({ told: 0, mails: 0, failed: 0, more: false })
    expect(await openNotices()).toEqual(['payout_failed live', 'payout_failed live'])
    await changePartner({ db, clock }, partner, { contactEmail: 'desk@acme.test' })

    expect(await send()).toMatchObject({ told: 2, mails: 1 })
    expect((await mailed())[0]?.mail.subject).toBe('Acme Ltd: 2 payouts failed')
  })

  test('notices wait until an admin signs in, and are then sent to that admin instead of the contact address', async () => {
    await changePartner({ db, clock }, partner, { contactEmail: null })
    await aMember('grace@acme.test', 'admin')
    await aFailed()
    await send()
    await signIn('grace@acme.test')
    await changePartner({ db, clock }, partner, { contactEmail: 'desk@acme.test' })

    expect(await send()).toMatchObject({ told: 1, mails: 1 })
    expect((await mailed()).map(({ mail }) => mail.to.address)).toEqual(['grace@acme.test'])
  })

  test('waiting notices do not delay the notices of other partners, however many are waiting', async () => {
    await changePartner({ db, clock }, partner, { contactEmail: null })
    await aNotice('top_up')
    await aNotice('verification', 'approved')
    const other = await aPartner({ db, clock })
    await addNotice(db, { ...inLive(), partnerId: other.id, kind: 'verification', about: 'approved' })

    expect(await sendNotices(deps, { limit: 1 })).toMatchObject({ told: 1, mails: 1 })

    expect((await mailed()).map(({ mail }) => mail.to.address)).toEqual([other.contactEmail])
  })
})

test('a notice does not show another partner’s payout', async () => {
  const other = await aPartner({ db, clock })
  const { id } = await aPayoutRow({ db, clock }, other, { environment: 'live', recipientName: 'Canary' })
  await aNotice('payout_failed', id)

  await send()

  expect((await mailed())[0]?.mail.text).not.toContain('Canary')
})

test('an unverified partner’s name is not in the subject', async () => {
  await changePartner({ db, clock }, partner, {
    verificationStatus: 'rejected',
    verificationReasons: ['No <b>papers</b>'],
  })
  await aNotice('verification', 'rejected')

  await send()

  const [mail] = await mailed()
  expect(mail?.mail.subject).toBe('Your verification was declined')
  expect(mail?.mail.text).toContain('No <b>papers</b>')
  expect(mail?.mail.html).not.toContain('<b>')
})

test('a top-up is emailed with all six decimals of its amount', async () => {
  await topUp(12_345_678n, 'mov-1')
  await aNotice('top_up', 'mov-1')

  await send()

  const [mail] = await mailed()
  expect(mail?.mail.subject).toBe('Acme Ltd: A top-up arrived')
  expect(mail?.mail.text).toContain('12.345678 USDC')
})

test('a case is emailed with its outcome', async () => {
  const { id } = await aPayoutRow({ db, clock }, partner, { environment: 'live' })
  const caseId = randomUUID()
  await db.dataSource.query(
    `INSERT INTO cases (id, payout_id, kind, reason, opened_by, opened_at, due_at, resolved_at, outcome)
      VALUES ($1, $2, 'trace', 'late', 'ops:test', now(), now(), now(), 'not_found')`,
    [caseId, id],
  )
  await aNotice('case', caseId)

  await send()

  const [mail] = await mailed()
  expect(mail?.mail.subject).toBe('Acme Ltd: A trace was resolved')
  expect(mail?.mail.text).toContain('Payment not located')
})

describe('a low balance', () => {
  const check = () => checkLowBalances(deps, { limit: 50 })

  beforeEach(async () => {
    await db.dataSource.query(`UPDATE wallets SET wallet_ref = id::text WHERE partner_id = $1`, [partner.id])
    await topUp(100_000_000n, 'mov-1')
  })

  test('is emailed once when the balance falls below the partner’s threshold, and again only after it has recovered', async () => {
    await changePartner({ db, clock }, partner, { lowBalanceMicroUsdc: 50_000_000n })
    expect(await check()).toBe(0)

    await pay(60_000_000n)
    expect([await check(), await check()]).toEqual([1, 0])
    await pay(10_000_000n)
    expect(await check()).toBe(0)
    await send()
    const [mail] = await mailed()
    expect(mail?.mail.subject).toBe('Acme Ltd: Your wallet balance is low')
    expect(mail?.mail.text).toMatch(/40\.00 USDC[^]*50\.00 USDC/)

    await topUp(20_000_000n, 'mov-2')
    expect(await check()).toBe(0)
    await pay(1_000_000n)
    expect(await check()).toBe(1)
  })

  test('means below a configured threshold, not equal to it', async () => {
    expect(await check()).toBe(0)
    await changePartner({ db, clock }, partner, { lowBalanceMicroUsdc: 100_000_000n })
    expect(await check()).toBe(0)
    await pay(10_000n)
    expect(await check()).toBe(1)
  })

  test('is recorded once even by five concurrent checks, and never for the sandbox', async () => {
    await changePartner({ db, clock }, partner, { lowBalanceMicroUsdc: 100_000_000_000_000n })

    const found = await Promise.all(Array.from({ length: 5 }, check))

    expect(found.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(await openNotices()).toEqual(['low_balance live'])
  })

  test('is skipped, without waiting, while another check is recording it', async () => {
    await changePartner({ db, clock }, partner, { lowBalanceMicroUsdc: 100_000_001n })

    await db.transaction(async (tx) => {
      expect(await reportLowBalances(tx, { at: clock.now(), limit: 10 })).toBe(1)
      expect(await check()).toBe(0)
    })

    expect(await openNotices()).toEqual(['low_balance live'])
  })

  test('is not emailed if the notice was switched off in the meantime', async () => {
    await changePartner({ db, clock }, partner, { lowBalanceMicroUsdc: 100_000_001n })
    await check()
    await changePartner({ db, clock }, partner, { lowBalanceMicroUsdc: null })

    expect(await send()).toMatchObject({ told: 1, mails: 0 })
  })
})

async function aFailed(): Promise<string> {
  const { id } = await aPayoutRow({ db, clock }, partner, { environment: 'live', status: 'failed' })
  await anEvent(id, 'failed')
  return id
}

async function anEvent(payoutId: string, kind: string): Promise<void> {
  const sql = `INSERT INTO payout_events (payout_id, at, kind, status, made_by) VALUES ($1, now(), $2, 'failed', 'bank')`
  await db.dataSource.query(sql, [payoutId, kind])
}

async function aNotice(kind: SwitchableNotice, about?: string): Promise<void> {
  const subject = about ?? (kind === 'low_balance' ? '0' : randomUUID())
  await addNotice(db, { ...inLive(), partnerId: partner.id, kind, about: subject })
}

async function aMember(email: string, role: 'admin' | 'viewer'): Promise<void> {
  await db.transaction((tx) => insertMember(tx, { partnerId: partner.id, email, name: null, role, at: clock.now() }))
}

const inLive = () => ({ environment: 'live', at: clock.now() }) as const

/** Signs in all members of the partner, or those with this email. */
async function signIn(email = '%'): Promise<void> {
  const sql = 'UPDATE members SET last_login_at = now() WHERE partner_id = $1 AND email LIKE $2'
  await db.dataSource.query(sql, [partner.id, email])
}

async function topUp(amount: bigint, bankRef: string): Promise<void> {
  await post('deposit', bankRef, topUpPostings(amount))
}

async function pay(amount: bigint): Promise<void> {
  await post('debit', randomUUID(), debitPostings(amount))
}

async function post(cause: string, causeRef: string, postings: ReturnType<typeof topUpPostings>): Promise<void> {
  const wallet = await findWallet(db, partner.id, 'live')
  const about = { walletId: wallet?.id ?? '', payoutId: null, createdBy: 'test', at: clock.now() }
  expect(await postSet(db, { ...about, cause, causeRef, postings })).toMatchObject({ outcome: 'posted' })
}

/** The queued emails, sorted by address. */
async function mailed(): Promise<Mailed[]> {
  const at = new Date(clock.now().getTime() + 1_000)
  const taken = await takeMails(db, testKeyring, { at, leaseUntil: at, limit: 100 })
  const mails = taken.flatMap(({ kind, mail }) => (mail === null ? [] : [{ kind, mail }]))
  return mails.toSorted((a, b) => a.mail.to.address.localeCompare(b.mail.to.address))
}

async function openNotices(): Promise<string[]> {
  const sql = `SELECT kind || ' ' || environment AS line FROM notices WHERE told_at IS NULL AND partner_id = $1 ORDER BY 1`
  const rows: { line: string }[] = await db.dataSource.query(sql, [partner.id])
  return rows.map(({ line }) => line)
}
