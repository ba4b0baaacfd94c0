// A wallet that changes constantly is still compared. In these tests the same event happens during every proof,
// after the proof has read the bank.

import { expect, test } from '@jest/globals'
import { runProof } from '../../../../activities/controls/proof/run'
import { readWallet } from '../../../../activities/wallets/readings/read-wallets'
import type { Db } from '../../../../db/database'
import { postSet } from '../../../../db/wallets/ledger'
import { topUpPostings } from '../../../../domain/wallets/ledger'
import { tapped } from '../../../support/db/tapped'
import { fine, log, type ProofStage, useProofStage } from '../../../support/stages/proof'

const { bank, stage } = useProofStage()

const events: readonly [string, () => Promise<unknown>][] = [
  ['a payout is debited', async () => stage.steps.debitPayout(await stage.aPayout())],
  ['a payout is sent', () => stage.aSentPayout()],
  ['a payout is sent and arrives', () => settled('payment_processed')],
  ['a payout is sent and is refunded', () => settled('refunded')],
  ['a deposit arrives and is booked', aBookedDeposit],
]

test.each(events)('a proof finds no drift if, while it runs, %s', async (_what, trigger) => {
  await stage.aSentPayout()

  expect(await runProof(afterTheBank(trigger))).toMatchObject(fine)
  expect(await runProof(afterTheBank(trigger))).toMatchObject(fine)
  expect(await runProof(stage.deps)).toMatchObject(fine)
})

test.each(events)(
  'all ledger queries of a proof see one snapshot even if, between two of them, %s',
  async (_what, trigger) => {
    expect(await runProof({ ...stage.deps, db: betweenQuestions(trigger) })).toMatchObject(fine)
    expect(await runProof(stage.deps)).toMatchObject(fine)
  },
)

test.each(events)('a proof still finds a real drift if, while it runs, %s', async (_what, trigger) => {
  await runProof(stage.deps)
  const about = { walletId: stage.wallet.id, payoutId: null, createdBy: 'test', at: new Date(Date.now() - 120_000) }
  const madeUp = { ...about, cause: 'deposit', causeRef: 'made-up', bankRef: 'made-up' }
  await postSet(stage.db, { ...madeUp, postings: topUpPostings(5_000_000n) })

  expect(await runProof(afterTheBank(trigger))).toMatchObject({ drifts: 2, busy: 0 })

  expect(await stage.found()).toEqual([
    ['bank_balance', stage.wallet.id],
    ['booking_without_movement', stage.wallet.id],
  ])
})

function afterTheBank(trigger: () => Promise<unknown>): ProofStage['deps'] {
  const rail = stage.rails.provider_production
  const transfersSince: typeof rail.transfersSince = async (asked) => {
    const listed = await rail.transfersSince(asked)
    await trigger()
    return listed
  }
  return { ...stage.deps, rails: { ...stage.rails, provider_production: { ...rail, transfersSince } } }
}

function betweenQuestions(trigger: () => Promise<unknown>): Db {
  return tapped(stage.db, async ({ text }, next) => {
    const answer = await next()
    if (/AS suspense_micro_usdc|submit_started_at >=/.test(text)) await trigger()
    return answer
  })
}

async function settled(state: string): Promise<void> {
  const payout = await stage.aSentPayout()
  await stage.advance(payout, state)
  await stage.steps.settle(payout)
}

async function aBookedDeposit(): Promise<void> {
  const { db, clock, rails, wallet } = stage
  await bank.control('POST', `/wallets/${wallet.wallet}/deposits`, { amount: '7.000000' })
  await readWallet(
    { db, clock, log, rails, startReturn: async () => undefined, listLagMs: 1_000 },
    { walletId: wallet.id },
  )
}
