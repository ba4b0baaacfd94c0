// ops partner demo: a finished month that passes reconciliation, audit chain and billing, with the sandbox
// bank.
import { expect, test } from '@jest/globals'
import { londonMonthOf, previousMonth } from '../../../domain/month'
import { systemClock } from '../../../runtime/clock'
import { requireSoundLedger } from '../../referee/ledger-rules'
import { keys, useSandboxBank } from '../../support/bank/client'
import { sealAll } from '../../support/db/seal-all'
import { runWith, useTerminal } from '../../support/terminal'

const terminal = useTerminal()
const bank = useSandboxBank({ fsync: 'off', controlPort: 0 })

const month = previousMonth(londonMonthOf(systemClock.now()))
const demo = ['partner', 'demo', '--name', 'Demo Ltd', '--slug', 'demo', '--email', 'ada@demo.test']
const ops = (...argv: string[]) => {
  const url = `${bank.url}/v0`
  const banks = { BANK_SANDBOX_URL: url, BANK_SANDBOX_KEY: keys.sandbox, BANK_LIVE_URL: url, BANK_LIVE_KEY: keys.live }
  return runWith({ ...terminal.env, ...banks }, argv)
}

test('the demo partner is refused if the banks are not simulated', async () => {
  const { code, err } = await terminal.ops(...demo, '--usdc', '10000.00')

  expect([code, err]).toEqual([2, expect.stringMatching(/^This works only with a simulated sandbox bank/)])
})

test('the demo partner’s month has every kind of charge, and its wallet holds the requested balance', async () => {
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
    'business_verification',
    'network_fees',
    'bank_exceptions',
    'credit',
  ])
  expect(wallets.data).toContainEqual(expect.objectContaining({ environment: 'live', usdc: '10000.00' }))
  const [payouts] = await terminal.db.dataSource.query(
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE status = 'returned')::int AS returned,
        count(*) FILTER (WHERE closed_at IS NULL)::int AS open, min(created_at) AS first, max(closed_at) AS last
      FROM payouts`,
  )
  expect(payouts).toMatchObject({ all: 5, returned: 1, open: 0 })
  expect([londonMonthOf(payouts.first), londonMonthOf(payouts.last)]).toEqual([month, month])
})

test('the demo partner’s wallets are reconciled from the start, so status does not report them', async () => {
  const { needs_operator } = JSON.parse((await ops('status', '--json')).out)

  expect(needs_operator.map(({ code }: { code: string }) => code)).not.toContain('proof_old')
})

test('reconciliation finds no drift, and the ledger and the audit chain are valid', async () => {
  await sealAll(terminal.db, systemClock.now())

  expect(await ops('proof')).toMatchObject({ code: 0, out: expect.stringMatching(/no drift\.\n$/) })
  expect(await ops('audit', 'verify')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The audit chain is intact\.\n/),
  })
  await requireSoundLedger(terminal.db.dataSource)
})
