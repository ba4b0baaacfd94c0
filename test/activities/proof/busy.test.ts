// A busy, healthy system shows no drift, however often it is proved while payouts are on their way; then it agrees to the penny.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runProof } from '../../../activities/proof/run'
import { systemClock } from '../../../clock'
import { listDrifts } from '../../../db/drifts'
import type { Rails } from '../../../rail/rails'
import { aPayoutWorld, type Payer, type PayoutWorld } from '../../api/payout-world'
import { quick, until } from '../../sandbox-bank/bank-client'
import { keptLog } from '../../setup/kept-logs'
import { silenceTemporal } from '../../worker/a-worker'
import { railsTo } from '../payout/a-stage'

const log = keptLog()
// The strictest there is: no time for deposits, none for balances, and looks without a pause.
const patience = { graceMs: 0, quietMs: 0, pauseMs: 0, settleWithinMs: 60_000, knownWithinMs: 60_000 }
const payments = 60
let world: PayoutWorld
let rails: Rails
let payers: Payer[]

silenceTemporal()

beforeAll(async () => {
  const bank = { delaysMs: { ...quick, funds_received: 150, payment_submitted: 300 } }
  world = await aPayoutWorld({ bank })
  rails = railsTo(world.bank, { callMs: 5_000 })
  payers = [await world.aPayer(), await world.aPayer()]
  // The stage books the sandbox's float without the bank's name for it.
  await world.api.db.dataSource.query(
    `UPDATE wallets SET rail = 'simulated', customer_ref = NULL, wallet_ref = NULL WHERE environment = 'sandbox'`,
  )
})
afterAll(async () => {
  rails.close()
  await world.close()
})

test('proofs beside payouts that are sent, delivered, lost and refunded find nothing', async () => {
  const { db } = world.api
  const deps = { db, clock: systemClock, log, rails, patience }
  await world.bank.fault({ kind: 'reset', stage: 'after', times: 6, match: { method: 'POST', path: '/v0/transfers' } })
  await world.bank.fault({ kind: 'undeliverable', times: 6, match: {} })
  const progress = { isPaying: true }
  const paying = payAll().finally(() => {
    progress.isPaying = false
  })
  let proofs = 0
  while (progress.isPaying || (await hasOpen())) {
    const { drifts, failed } = await runProof(deps)
    proofs += 1
    expect({ drifts, failed }).toEqual({ drifts: 0, failed: 0 })
  }
  await paying
  const last = await until('a proof with every wallet compared', async () => {
    const proved = await runProof(deps)
    return proved.busy === 0 && proved
  })

  expect(last).toMatchObject({ drifts: 0, busy: 0, failed: 0 })
  expect(proofs).toBeGreaterThan(3)
  expect(await listDrifts(db, 'open', 10)).toEqual([])
  expect(await listDrifts(db, 'gone', 10)).toEqual([])
}, 120_000)

async function payAll(): Promise<void> {
  for (let begun = 0; begun < payments; begun += 6) {
    const some = [...payers, ...payers, ...payers]
    const answers = await Promise.all(
      some.map((payer) => world.pay(payer, { amount_gbp: '3.00' }, { environment: 'live' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(some.map(() => 201))
  }
}

async function hasOpen(): Promise<boolean> {
  const rows: unknown[] = await world.api.db.dataSource.query(
    'SELECT 1 FROM payouts WHERE released_at IS NULL AND closed_at IS NULL LIMIT 1',
  )
  return rows.length > 0
}
