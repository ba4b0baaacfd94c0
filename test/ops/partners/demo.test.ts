// partner demo creates three finished months and a current one. Reconciliation and the audit check pass, and the last
// finished month can be billed.
import { expect, test } from '@jest/globals'
import { loadOverview } from '../../../db/invoices/overview'
import { addNotice, takeNotices } from '../../../db/partners/notices'
import type { Environment } from '../../../domain/environment'
import { londonMonthOf, nextMonth, previousMonth } from '../../../domain/month'
import { systemClock } from '../../../runtime/clock'
import { requireValidLedger } from '../../referee/ledger-rules'
import { keys, useSandboxBank } from '../../support/bank/client'
import { aPartner } from '../../support/db/a-partner'
import { sealAll } from '../../support/db/seal-all'
import { runWith, useTerminal } from '../../support/terminal'

const terminal = useTerminal()
const bank = useSandboxBank({ fsync: 'off', controlPort: 0 })

const month = previousMonth(londonMonthOf(systemClock.now()))
const demo = ['partner', 'demo', '--name', 'Demo Ltd', '--slug', 'demo', '--email', 'ada@demo.test']
const seller = {
  SELLER_NAME: 'Example Payouts Ltd',
  SELLER_ADDRESS: '1 Example Street|London',
  SELLER_EMAIL: 'billing@payouts.test',
  SELLER_BANK: 'Example Bank, do not pay',
}
const ops = (...argv: string[]) => opsWith(seller, ...argv)
const opsWith = (others: Readonly<Record<string, string>>, ...argv: string[]) => {
  const url = `${bank.url}/v0`
  const banks = { BANK_SANDBOX_URL: url, BANK_SANDBOX_KEY: keys.sandbox, BANK_LIVE_URL: url, BANK_LIVE_KEY: keys.live }
  return runWith({ ...terminal.env, ...banks, ...others }, argv)
}

test('the demo partner is not created if the banks are not simulated', async () => {
  const { code, err } = await terminal.ops(...demo, '--usdc', '10000.00')

  expect([code, err]).toEqual([2, expect.stringMatching(/^This works only with a simulated sandbox bank/)])
})

test('an invalid seller setting stops partner demo before anything is created', async () => {
  const failed = await opsWith({ ...seller, SELLER_EMAIL: 'not an address' }, ...demo, '--usdc', '10000.00')

  expect(failed).toEqual({ code: 1, out: '', err: expect.stringMatching(/^SELLER_EMAIL must be [^\n]+\.\n$/) })
  expect(await terminal.json('partner', 'list')).toMatchObject({ data: [] })
})

test('the demo partner’s last month can be billed, its wallet has the requested balance, and other notices stay queued', async () => {
  const { id: partnerId } = await aPartner(terminal.db, { contactEmail: 'grace@acme.test' })
  const group = { partnerId, environment: 'live', kind: 'low_balance' } as const
  await addNotice(terminal.db, { ...group, about: 'low', at: systemClock.now() })
  const made = await ops(...demo, '--usdc', '10000.00', '--json')
  const again = await ops(...demo, '--usdc', '10000.00')
  const preview = JSON.parse((await ops('invoices', 'preview', '--period', month, '--json')).out)
  const wallets = JSON.parse((await ops('wallet', 'show', '--partner', 'demo', '--json')).out)

  expect(JSON.parse(made.out)).toMatchObject({
    slug: 'demo',
    month,
    keys: { sandbox: expect.stringMatching(/^kp_sandbox_/), live: expect.stringMatching(/^kp_live_/) },
  })
  expect([again.code, again.err]).toEqual([2, 'The slug demo is already taken.\n'])
  expect(preview.data[0].lines.map(({ kind }: { kind: string }) => kind)).toEqual([
    'payout_fees',
    'monthly_account',
    'network_fees',
    'bank_exceptions',
    'credit',
  ])
  expect(wallets.data).toContainEqual(expect.objectContaining({ environment: 'live', usdc: '10000.00' }))
  const waiting = { at: systemClock.now(), limit: 10 }
  expect(await terminal.db.transaction((tx) => takeNotices(tx, group, waiting))).toHaveLength(1)
})

test('the demo partner has payouts in every final status, each with an activity entry, and a ledger in chronological order', async () => {
  const months = [previousMonth(previousMonth(month)), previousMonth(month), month, nextMonth(month)]
  const payouts: { status: string; created: Date; closed: Date }[] = await terminal.db.dataSource.query(
    "SELECT status, created_at AS created, closed_at AS closed FROM payouts WHERE environment = 'live' ORDER BY created_at",
  )
  const entries: { at: Date }[] = await terminal.db.dataSource.query(
    `SELECT ledger_set.created_at AS at FROM ledger_sets ledger_set JOIN ledger_entries entry ON entry.set_id = ledger_set.id
      JOIN wallets ON wallets.id = ledger_set.wallet_id WHERE wallets.environment = 'live' ORDER BY entry.id`,
  )
  const calls: { count: number }[] = await terminal.db.dataSource.query(
    "SELECT count(*)::int AS count FROM activity WHERE action = 'payout.create' AND environment = 'live'",
  )

  expect(payouts.map(({ status }) => status).toSorted()).toEqual([
    'cancelled',
    ...Array(17).fill('completed'),
    'failed',
    'returned',
    'returned',
  ])
  expect(new Set(payouts.flatMap(({ created, closed }) => [created, closed].map(londonMonthOf)))).toEqual(
    new Set(months),
  )
  const times = entries.map(({ at }) => at.getTime())
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(calls).toEqual([{ count: payouts.length }])
})

test('the demo partner has a payout that needs attention in each environment', async () => {
  const [partner] = await terminal.db.dataSource.query("SELECT id FROM partners WHERE slug = 'demo'")
  const attentionIn = async (environment: Environment) => {
    const scope = { partnerId: partner.id, environment }
    const { attention } = await loadOverview(terminal.db, scope, { now: systemClock.now(), months: [month] })
    return attention.flatMap(({ payouts }) => payouts.map(({ status, reference }) => [status, reference]))
  }

  expect(await attentionIn('live')).toEqual([['returned', 'Order 2150']])
  expect(await attentionIn('sandbox')).toEqual([['failed', 'Test of a failure']])
})

test('the demo partner’s sandbox has payouts in this month, and none of them is open', async () => {
  const payouts: { status: string; month: string; open: boolean }[] = await terminal.db.dataSource.query(
    `SELECT status, to_char(created_at AT TIME ZONE 'Europe/London', 'YYYY-MM') AS month, closed_at IS NULL AS open
      FROM payouts WHERE environment = 'sandbox' ORDER BY created_at`,
  )

  const closed = { month: nextMonth(month), open: false }
  expect(payouts).toEqual(['completed', 'completed', 'failed', 'completed'].map((status) => ({ status, ...closed })))
})

test('the demo partner’s earlier months have a void, a paid and an open invoice, and no notice waits', async () => {
  const invoices: unknown[] = await terminal.db.dataSource.query(
    `SELECT to_char(period, 'YYYY-MM') AS period, status, void_reason,
        (SELECT array_agg(kind ORDER BY kind) FROM invoice_lines WHERE invoice_id = invoices.id) AS kinds
      FROM invoices ORDER BY period, number`,
  )
  const waiting: unknown[] = await terminal.db.dataSource.query('SELECT kind FROM notices WHERE told_at IS NULL')

  const first = {
    period: previousMonth(previousMonth(month)),
    kinds: ['business_verification', 'monthly_account', 'network_fees', 'payout_fees'],
  }
  expect(invoices).toEqual([
    { ...first, status: 'void', void_reason: 'The billing address was wrong.' },
    { ...first, status: 'paid', void_reason: null },
    {
      period: previousMonth(month),
      status: 'open',
      void_reason: null,
      kinds: ['monthly_account', 'network_fees', 'payout_fees'],
    },
  ])
  expect(waiting).toEqual([])
})

test('the demo partner’s wallets are reconciled from the start, so status does not report them', async () => {
  const { needs_operator } = JSON.parse((await ops('status', '--json')).out)

  expect(needs_operator.map(({ code }: { code: string }) => code)).not.toContain('proof_old')
  expect(needs_operator.map(({ code }: { code: string }) => code)).not.toContain('mail_waits')
})

test('reconciliation finds no drift, and the ledger and the audit chain are valid', async () => {
  await sealAll(terminal.db, systemClock.now())

  expect(await ops('proof')).toMatchObject({ code: 0, out: expect.stringMatching(/no drift\.\n$/) })
  expect(await ops('audit', 'verify')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The audit chain is intact\.\n/),
  })
  await requireValidLedger(terminal.db.dataSource)
})
