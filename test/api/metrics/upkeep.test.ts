// Metrics that show when scheduled work has stopped, measured on a real database.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { recordVerification } from '../../../db/controls/audit/verifications'
import type { FirstFault } from '../../../db/controls/audit/verify'
import { markProved } from '../../../db/controls/proof/wallets'
import { eraseRecipients } from '../../../db/controls/retention'
import { enqueueMail } from '../../../db/partners/mails'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet } from '../../../db/wallets/wallets'
import { topUpPostings } from '../../../domain/wallets/ledger'
import { type MetricsServer, startMetrics } from '../../support/api/a-metrics-server'
import { type Api, startApi, testKeyring } from '../../support/api/client'
import { aCharge, aClock, anInvoice, aPartner, aPayoutRow } from '../../support/api/fixtures'
import { type Scrape, scrape } from '../../support/api/scrape'
import { sealAll } from '../../support/db/seal-all'

const noneUnsealed = { ledger_sets: 0, ledger_entries: 0, charges: 0, activity: 0, ledger_accounts: 0 }
let api: Api
let clock: ReturnType<typeof aClock>
let metrics: MetricsServer

beforeEach(async () => {
  clock = aClock('2026-11-15T12:00:00.000Z')
  api = await startApi({ clock })
  metrics = await startMetrics(api)
})

afterEach(async () => {
  metrics.close()
  await api.close()
})

test('the age of the reconciliation is the age of the least recently checked wallet', async () => {
  const wallets = [await aSandboxWallet(), await aSandboxWallet()]
  for (const walletId of wallets) await checkWallet(walletId)
  const whileItRuns = await scrapeAt('12:10')
  await checkWallet(wallets[0])
  const whenOneIsLeftOut = await scrapeAt('13:00')

  const [sandbox, live] = ['sandbox', 'live'].map((each) => `payouts_proof_age_seconds{environment="${each}"}`)
  expect(whileItRuns.value(String(sandbox))).toBe(600)
  expect(whenOneIsLeftOut.value(String(sandbox))).toBe(3_600)
  // The live wallets were never checked, so their age counts from their creation.
  expect(whenOneIsLeftOut.value(String(live))).toBe(3_600)

  function checkWallet(walletId: string | undefined): Promise<void> {
    const proved = { walletId: String(walletId), outcome: 'equal', mark: null, at: clock.now() } as const
    return api.db.transaction((tx) => markProved(tx, proved))
  }
})

test.each(['ledger_sets', 'charges', 'activity'] as const)(
  'the age of the oldest unsealed row in %s is shown, or 0 if all rows are sealed',
  async (table) => {
    const partner = await aPartner(api)
    const walletId = await aSandboxWallet()
    const write = {
      ledger_sets: () => book(walletId, clock.now()),
      charges: () => aCharge(api, partner, { kind: 'payout_fee', amountMicropounds: 2_190_000n, month: '2026-11-01' }),
      activity: () =>
        api.db.dataSource.query(`INSERT INTO activity (partner_id, at, environment, action, changes, made_by)
        VALUES ('${partner.id}', '${clock.now().toISOString()}', 'live', 'rail.pause', true, 'ops')`),
    }[table]
    await write()
    const neverSealed = await scrapeAt('12:05')
    await sealAll(api.db, clock.now())
    const sealed = await scrapeAt('13:00')
    await write()
    clock.set('2026-11-15T13:10:00.000Z')
    await write()
    const leftSince = await scrapeAt('13:30')

    const values = [neverSealed, sealed, leftSince].map(({ value }) => value('payouts_unsealed_seconds'))
    expect(values).toEqual([300, 0, 1_800])
  },
)

test('a sealed row does not count as unsealed, even if its writer’s clock is ahead of the sealer’s', async () => {
  await book(await aSandboxWallet(), new Date('2026-11-15T12:00:03.000Z'))
  await sealAll(api.db, clock.now())

  expect((await scrapeAt('14:00')).value('payouts_unsealed_seconds')).toBe(0)
})

test('a fault in the audit chain and a check that no longer runs are shown', async () => {
  const figures = (shown: Scrape) =>
    ['payouts_audit_faults', 'payouts_audit_verified_age_seconds'].map((name) => shown.value(name))
  const verified = (fault: FirstFault | null) =>
    api.db.transaction((tx) =>
      recordVerification(tx, { links: 1n, head: '00', fault, archived: 0, unsealed: noneUnsealed }, clock.now()),
    )
  const noChain = await scrapeAt('12:00')
  await book(await aSandboxWallet(), clock.now())
  await sealAll(api.db, clock.now())
  const neverChecked = await scrapeAt('12:10')
  await verified({ what: 'row_missing', sequence: 1n, table: 'charges', rowId: 'x' })
  const faulty = await scrapeAt('12:20')
  await verified(null)
  const whole = await scrapeAt('12:40')

  expect([noChain, neverChecked, faulty, whole].map(figures)).toEqual([
    [0, 0],
    [0, 600],
    [1, 600],
    [0, 1_200],
  ])
})

test('an email counts as waiting until it expires, and an invoice until it is emailed or paid', async () => {
  const mail = { to: { name: 'Ada', address: 'ada@acme.test' }, subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
  const [at, expiresAt] = [clock.now(), new Date('2026-11-15T12:30:00.000Z')]
  for (let n = 0; n < 2; n++)
    await api.db.transaction((tx) => enqueueMail(tx, testKeyring, { kind: 'notice', mail, at, expiresAt }))
  await anInvoice(api, await aPartner(api), { period: '2026-10-01' })
  await anInvoice(api, await aPartner(api), { period: '2026-10-01', mailedAt: at })
  await anInvoice(api, await aPartner(api), { period: '2026-10-01', status: 'paid' })

  const soon = await scrapeAt('12:20')
  const later = await scrapeAt('12:40')

  expect(soon.value('payouts_mails_waiting{kind="notice"}')).toBe(2)
  expect(soon.value('payouts_oldest_mail_seconds{kind="notice"}')).toBe(1_200)
  expect(soon.value('payouts_oldest_mail_seconds{kind="sign_in"}')).toBe(0)
  expect(soon.value('payouts_mails_waiting{kind="invoice"}')).toBe(1)
  expect(later.value('payouts_mails_waiting{kind="notice"}')).toBe(0)
  expect(later.value('payouts_oldest_mail_seconds{kind="invoice"}')).toBe(2_400)
})

test('data is overdue for erasure from its due time, unless it must be kept', async () => {
  const partner = await aPartner(api)
  const dayAgo = (days: number) => new Date(clock.now().getTime() - days * 86_400_000)
  const closedAt = [dayAgo(399), dayAgo(403), null]
  for (const each of closedAt) {
    const { id } = await aPayoutRow(api, partner, { createdAt: dayAgo(410), closedAt: each })
    await api.db.dataSource.query(
      `INSERT INTO sealed_recipients (payout_id, sealed, key_id) VALUES ('${id}', '\\x00', 'k2')`,
    )
  }
  const allKept = await scrapeAt('12:01')
  await anEvent('00000000-0000-7000-8000-000000000001', 'quarantined')
  const quarantined = await scrapeAt('12:02')
  await anEvent('00000000-0000-7000-8000-000000000002', 'handled')
  const handled = await scrapeAt('12:03')

  const recipients = 'payouts_erasure_overdue_seconds{kind="recipients"}'
  expect(allKept.value(recipients)).toBe(3 * 86_400 + 60)
  const events = 'payouts_erasure_overdue_seconds{kind="bank_events"}'
  expect([allKept, quarantined, handled].map(({ value }) => value(events))).toEqual([0, 0, 86_400 + 180])

  await api.db.dataSource.query(`INSERT INTO bank_recipients (id, customer_ref, details_hash, recipient_ref, created_at)
    VALUES ('00000000-0000-7000-8000-000000000003', 'c', '\\x00', 'r', '${dayAgo(405).toISOString()}')`)
  expect((await scrapeAt('12:04')).value(recipients)).toBe(5 * 86_400 + 60)
  const before = dayAgo(400)
  expect(await eraseRecipients(api.db, { before, limit: 10 })).toBe(2)
  expect((await scrapeAt('12:05')).value(recipients)).toBe(0)

  async function anEvent(id: string, outcome: string): Promise<void> {
    await api.db.dataSource.query(
      `INSERT INTO bank_events (id, environment, event_id, category, received_at, handled_at, outcome)
      VALUES ('${id}', 'live', '${id}', 'transfer', '2026-10-15T12:00:00Z', '2026-10-15T12:00:00Z', '${outcome}')`,
    )
  }
})

test('a partner that the monthly run skipped is counted until it has its invoice', async () => {
  const left = await aLivePartner()
  await anInvoice(api, await aLivePartner(), { period: '2026-10-01' })
  await anInvoice(api, await aLivePartner(), { period: '2026-10-01', status: 'void' })
  await aPartner(api)

  const before = await scrapeAt('12:01')
  await anInvoice(api, left, { period: '2026-10-01' })
  const after = await scrapeAt('12:02')

  expect([before, after].map(({ value }) => value('payouts_partners_not_billed'))).toEqual([1, 0])

  async function aLivePartner() {
    const partner = await aPartner(api)
    await api.db.dataSource.query(`UPDATE partners SET live_opened_at = '2026-10-20' WHERE id = '${partner.id}'`)
    return partner
  }
})

async function aSandboxWallet(): Promise<string> {
  const wallet = await findWallet(api.db, (await aPartner(api)).id, 'sandbox')
  if (wallet === null) throw new Error('there must be a wallet')
  return wallet.id
}

async function book(walletId: string, at: Date): Promise<void> {
  const about = { walletId, cause: 'any', causeRef: at.toISOString(), payoutId: null, createdBy: 'test' }
  await postSet(api.db, { ...about, at, postings: topUpPostings(1_000_000n) })
}

function scrapeAt(time: string): Promise<Scrape> {
  clock.set(`2026-11-15T${time}:00.000Z`)
  return scrape(metrics.url)
}
