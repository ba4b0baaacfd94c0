// Payouts in flight are not drifts, an unavailable bank resolves no drift, and each drift is emailed once.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { provePage } from '../../../../activities/controls/proof/prove-wallets'
import { proveSilence, runProof, tellDrifts } from '../../../../activities/controls/proof/run'
import { readWallet } from '../../../../activities/wallets/readings/read-wallets'
import { readUpkeep } from '../../../../db/controls/upkeep-metrics'
import { takeMails } from '../../../../db/partners/mails'
import type { Rails } from '../../../../rail/rails'
import { testKeyring } from '../../../support/api/client'
import { aClaim } from '../../../support/stages/payout'
import { fine, limits, log, useProofStage } from '../../../support/stages/proof'

const { bank, stage, db, rails, clock, deps, steps, wallet } = useProofStage()

test('a healthy wallet shows no drift, whatever the state of its payouts', async () => {
  await stage.aPayout()
  const debited = await stage.aPayout()
  await steps.debitPayout(debited)
  const sent = await stage.aSentPayout()
  const completed = await stage.aSentPayout()
  await stage.advance(completed, 'payment_processed')
  await steps.settle(completed)
  const refundedUnseen = await stage.aSentPayout()
  await stage.advance(refundedUnseen, 'refunded')
  const refunded = await stage.aSentPayout()
  await stage.advance(refunded, 'refunded')
  await steps.settle(refunded)
  const lost = await stage.aLostAnswer()
  const cancelled = await stage.aPayout()
  await steps.debitPayout(cancelled)
  await steps.cancelPayout(cancelled)

  expect(await runProof(deps)).toEqual({ wallets: 2, ...fine })

  expect([sent, lost].every(({ payoutId }) => payoutId !== '')).toBe(true)
  expect(await outcomes()).toEqual(['equal', 'no_bank'])
  expect(await stage.found()).toEqual([])
})

test('an unbooked deposit is reported once its grace period has expired, and resolved when it is booked', async () => {
  const { json } = await bank.control('POST', `/wallets/${wallet.wallet}/deposits`, { amount: '12.345678' })
  const withGrace = { ...deps, limits: { ...limits, graceMs: 60_000 } }

  expect(await runProof(withGrace)).toMatchObject(fine)
  clock.forward(61_000)
  expect(await runProof(withGrace)).toMatchObject({ drifts: 1, fresh: 1 })
  expect(await stage.found()).toEqual([['deposit_not_booked', json.id]])

  await readWallet(
    { db, clock, log, rails, startReturn: async () => undefined, listLagMs: 1_000 },
    { walletId: wallet.id },
  )
  expect(await runProof(withGrace)).toMatchObject(fine)
})

test('an idle sandbox wallet is proved one last time, then skipped, and does not count as overdue', async () => {
  const page = { environment: 'sandbox', after: null, limit: 50 } as const
  const proveScheduled = () => provePage(deps, page, { idleSandboxes: 'skipped' })
  await runProof(deps)
  clock.forward(25 * 3_600_000)

  const rounds = [await proveScheduled(), await proveScheduled()]
  clock.forward(7 * 3_600_000)
  await proveSilence(deps)
  const { left } = await readUpkeep(db, { now: clock.now(), retention: { recipientDays: 90, bankEventDays: 90 } })

  expect(rounds.map(({ wallets }) => wallets)).toEqual([1, 0])
  expect(await stage.found()).toEqual([['not_compared', wallet.id]])
  expect(left.flatMap(({ work, sort }) => (work === 'prove' ? sort : []))).toEqual(['live'])
  expect(await runProof(deps)).toMatchObject({ wallets: 2 })
})

test('a sandbox wallet with an open payout is not idle', async () => {
  const [row]: { id: string }[] = await db.dataSource.query('SELECT partner_id AS id FROM wallets WHERE id = $1', [
    wallet.id,
  ])
  await aClaim(db, { partnerId: row?.id ?? '', environment: 'sandbox' })
  await runProof(deps)
  clock.forward(25 * 3_600_000)

  const page = { environment: 'sandbox', after: null, limit: 50 } as const
  await provePage(deps, page, { idleSandboxes: 'skipped' })

  expect(await outcomes()).toEqual(['equal', 'no_bank'])
})

test('the proof reports a payout that has made no progress for too long, unless it waits for a paused rail', async () => {
  const sent = await stage.aSentPayout()
  const waiting = await stage.aPayout()
  await steps.debitPayout(waiting)

  clock.forward(limits.knownWithinMs + 60_000)
  await runProof(deps)
  expect(await stage.found()).toEqual([['silent_payout', waiting.payoutId]])

  await db.dataSource.query(
    `INSERT INTO rail_pauses (id, environment, paused_at, paused_by) VALUES ($1, 'live', now(), 'ops:test')`,
    [randomUUID()],
  )
  clock.forward(limits.settleWithinMs)
  await runProof(deps)
  expect(await stage.found()).toEqual([['silent_payout', sent.payoutId]])
})

test('a proof fails and resolves no drift if the bank does not answer', async () => {
  const transfer = await stage.aStrangeTransfer()
  await runProof(deps)
  const fault = await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET' } })

  expect(await runProof(deps)).toMatchObject({ failed: 1 })

  await bank.control('DELETE', `/faults/${fault}`)
  expect(await stage.found()).toEqual([['transfer_without_payout', transfer]])
})

test.each([
  ['first', 1],
  ['second', 2],
])('a difference that appears only in the %s of two reads is not a drift', async (_which, wrongRead) => {
  const rail = rails.provider_production
  let reads = 0
  const walletHistory: typeof rail.walletHistory = async (asked) => {
    reads += 1
    const rows = await rail.walletHistory(asked)
    const strange = { id: 'strange', transferRef: 'none', amountMicroUsdc: 1n, at: new Date(Date.now() + 60_000) }
    return reads === wrongRead ? [...rows, { kind: 'withdrawal', ...strange }] : rows
  }
  // The first read returns a wrong balance, so that the proof reads the bank a second time.
  const walletAtBank: typeof rail.wallet = async (asked) => {
    const { usdcMicro, ...others } = await rail.wallet(asked)
    return { ...others, usdcMicro: reads === 1 ? usdcMicro + 5n : usdcMicro }
  }
  const changing = {
    ...deps,
    rails: { ...rails, provider_production: { ...rail, walletHistory, wallet: walletAtBank } },
  }

  expect(await runProof(changing)).toMatchObject(fine)

  expect(reads).toBe(2)
})

test('a balance that the bank updates late is a drift only when its movements are no longer recent', async () => {
  const withLag = { ...deps, limits: { ...limits, balanceLagMs: 60_000 } }
  await stage.aSentPayout()
  const fault = await bank.fault({ kind: 'balance_lag', ms: 30_000, times: null, match: {} })

  const [late, wrong] = [await runProof(withLag), await runProof(deps)]
  await bank.control('DELETE', `/faults/${fault}`)

  expect(late).toMatchObject(fine)
  expect(wrong).toMatchObject({ drifts: 1, fresh: 1 })
  expect(await stage.found()).toEqual([['bank_balance', wallet.id]])
  expect(await runProof(deps)).toMatchObject(fine)
})

test('the proof reads matched movements once, and unmatched ones stop its reading position from advancing', async () => {
  await stage.aSentPayout()
  const strange = await stage.aStrangeTransfer()
  // Makes all existing payouts and movements two hours old. The payout below adds a recent movement.
  await db.dataSource.query(`UPDATE payouts SET submit_started_at = submit_started_at - interval '2 hours'`)
  const shifted = {
    ...rails.provider_production,
    walletHistory: async (asked: Parameters<Rails['provider_production']['walletHistory']>[0]) => {
      const rows = await rails.provider_production.walletHistory(asked)
      return rows.map((row, index) =>
        index === rows.length - 1 || row.at === null ? row : { ...row, at: new Date(row.at.getTime() - 7_200_000) },
      )
    },
  }
  await stage.aSentPayout()
  const later = { ...deps, rails: { ...rails, provider_production: shifted } }

  await runProof(later)
  await runProof(later)

  const history = await rails.provider_production.walletHistory({
    customerRef: wallet.customer,
    walletRef: wallet.wallet,
    after: null,
  })
  const [proved]: { proved_to: string }[] = await db.dataSource.query(
    'SELECT proved_to FROM proofs WHERE wallet_id = $1',
    [wallet.id],
  )
  expect(history.map(({ id }) => id).indexOf(proved?.proved_to ?? '')).toBe(1)
  expect(await stage.found()).toEqual([['transfer_without_payout', strange]])
})

test('operators are emailed once for each new drift, and again if it reappears', async () => {
  const mailDrifts = () => tellDrifts({ db, clock, keyring: testKeyring, opsEmail: 'ops@payouts.test' })
  await stage.aStrangeTransfer()
  await runProof(deps)

  expect([
    await tellDrifts({ db, clock, keyring: testKeyring, opsEmail: null }),
    await mailDrifts(),
    await mailDrifts(),
  ]).toEqual([0, 1, 0])
  const [mail] = await takeMails(db, testKeyring, { at: clock.now(), leaseUntil: clock.now(), limit: 5 })
  expect(mail?.mail).toMatchObject({ to: { address: 'ops@payouts.test' }, subject: 'Reconciliation found a drift' })
  expect(mail?.mail?.text).toContain('transfer_without_payout')

  await db.dataSource.query('UPDATE drifts SET resolved_at = now()')
  await runProof(deps)
  expect(await mailDrifts()).toBe(1)
})

async function outcomes(): Promise<string[]> {
  const rows: { outcome: string }[] = await db.dataSource.query('SELECT outcome FROM proofs ORDER BY outcome')
  return rows.map(({ outcome }) => outcome)
}
