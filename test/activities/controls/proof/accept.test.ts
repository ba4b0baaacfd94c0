// An accepted drift raises no alert and does not block the proof. If it changes, it counts as new.
import { expect, test } from '@jest/globals'
import { runProof, tellDrifts } from '../../../../activities/controls/proof/run'
import { readOpenWork } from '../../../../db/controls/metrics'
import {
  acceptDrift,
  type DriftToDecide,
  listDrifts,
  lockDrift,
  reopenDrift,
} from '../../../../db/controls/proof/drifts'
import type { Rails } from '../../../../rail/rails'
import { testKeyring } from '../../../support/api/client'
import { withoutTriggers } from '../../../support/db/without-triggers'
import { fine, type ProofStage, useProofStage } from '../../../support/stages/proof'

const { stage, db, deps } = useProofStage()

test('an accepted drift is no longer reported, even while payouts continue', async () => {
  await stage.aStrangeTransfer()
  await runProof(deps)
  expect(await counted()).toBe(1)
  await acceptOnly()

  expect(await runProof(deps)).toMatchObject(fine)
  expect(await counted()).toBe(0)
  await stage.aSentPayout()
  expect(await runProof(deps)).toMatchObject(fine)
  expect(await mailDrifts()).toBe(0)
  expect(await listDrifts(db, 'accepted', 5)).toEqual([
    expect.objectContaining({ kind: 'transfer_without_payout', acceptedBy: 'ops:test', reason: 'Ticket 4711' }),
  ])
})

test('an accepted balance difference stays accepted while money moves, but counts as new when its amount changes', async () => {
  expect(await runProof(withBankBalancePlus(10_000n))).toMatchObject({ drifts: 1 })
  const first = await acceptOnly()
  await stage.aSentPayout()
  expect(await runProof(withBankBalancePlus(10_000n))).toMatchObject(fine)

  expect(await runProof(withBankBalancePlus(20_000n))).toMatchObject({ drifts: 1, fresh: 1 })

  const [again] = await listDrifts(db, 'open', 5)
  expect(again).toMatchObject({ kind: 'bank_balance', size: '20000', acceptedBy: null })
  expect(again?.id).not.toBe(first.id)
  expect(await db.transaction((tx) => lockDrift(tx, first.id))).toBeNull()
  expect(await mailDrifts()).toBe(1)
})

test('a drift that was accepted, disappeared and came back counts as new', async () => {
  await runProof(withBankBalancePlus(10_000n))
  await acceptOnly()
  expect(await runProof(deps)).toMatchObject(fine)
  expect(await listDrifts(db, 'gone', 5)).toHaveLength(1)

  expect(await runProof(withBankBalancePlus(10_000n))).toMatchObject({ drifts: 1, fresh: 1 })
})

test('the proof continues past an accepted drift, and checks it again after it is reopened', async () => {
  const strange = await stage.aStrangeTransfer()
  await stage.aSentPayout()
  const later = aged()
  await stage.aSentPayout()
  await runProof(later)
  expect(await markOf()).toEqual({ bank: 10_000_000_000n, accepted: 0n })
  await acceptOnly()

  for (const _ of [1, 2, 3]) {
    expect(await runProof(later)).toMatchObject(fine)
    await stage.aSentPayout()
  }
  const [drift] = await listDrifts(db, 'accepted', 5)

  expect((await markOf())?.accepted).toBeLessThan(0n)
  expect(drift).toMatchObject({ subject: strange })
  await decide(drift?.id ?? '', reopenDrift)
  expect(await runProof(later)).toMatchObject({ drifts: 1 })
  expect(await listDrifts(db, 'open', 5)).toEqual([expect.objectContaining({ subject: strange, found: drift?.found })])
  expect(await markOf()).toEqual({ bank: 10_000_000_000n, accepted: 0n })
})

/** A bank whose reported balance exceeds its movements by this amount. */
function withBankBalancePlus(microUsdc: bigint): ProofStage['deps'] {
  const rail = stage.rails.provider_production
  const wallet: typeof rail.wallet = async (asked) => {
    const bankWallet = await rail.wallet(asked)
    return { ...bankWallet, usdcMicro: bankWallet.usdcMicro + microUsdc }
  }
  return { ...deps, rails: { ...stage.rails, provider_production: { ...rail, wallet } } }
}

/** Makes all existing payouts and bank movements two hours old. Later ones are recent. */
function aged(): ProofStage['deps'] {
  const rail = stage.rails.provider_production
  const first = new Date()
  const shifted = {
    ...rail,
    walletHistory: async (asked: Parameters<Rails['provider_production']['walletHistory']>[0]) => {
      await withoutTriggers(
        db,
        `UPDATE payouts SET submit_started_at = submit_started_at - interval '2 hours'
          WHERE submit_started_at > now() - interval '1 hour' AND created_at < $1`,
        [first],
      )
      const rows = await rail.walletHistory(asked)
      return rows.map((row) =>
        row.at === null || row.at >= first ? row : { ...row, at: new Date(row.at.getTime() - 7_200_000) },
      )
    },
  }
  return { ...deps, rails: { ...stage.rails, provider_production: shifted } }
}

async function acceptOnly(): Promise<{ id: string }> {
  const [drift, ...others] = await listDrifts(db, 'open', 5)
  expect(others).toEqual([])
  await decide(drift?.id ?? '', acceptDrift)
  return { id: drift?.id ?? '' }
}

function decide(id: string, how: typeof acceptDrift): Promise<void> {
  return db.transaction(async (tx) => {
    const drift: DriftToDecide | null = await lockDrift(tx, id)
    if (drift === null) throw new Error('there must be a drift')
    await how(tx, drift, { reason: 'Ticket 4711', by: 'ops:test', at: new Date() })
  })
}

/** The number of drifts in the metric that raises alerts. */
async function counted(): Promise<number> {
  const figures = await readOpenWork(db, deps.clock.now())
  return figures.find(({ kind }) => kind === 'drift')?.count ?? 0
}

function mailDrifts(): Promise<number> {
  return tellDrifts({ db, clock: deps.clock, keyring: testKeyring, opsEmail: 'ops@payouts.test' })
}

async function markOf(): Promise<{ bank: bigint; accepted: bigint } | undefined> {
  const [row]: { bank: bigint; accepted: bigint }[] = await db.dataSource.query(
    'SELECT bank_micro_usdc AS bank, accepted_micro_usdc AS accepted FROM proofs WHERE wallet_id = $1',
    [stage.wallet.id],
  )
  return row
}
