// A live wallet at the sandbox bank with everything that a proof needs, and the faults that tests plant.
import { expect } from '@jest/globals'
import type { ProofDeps } from '../../../activities/controls/proof/snapshot'
import { listDrifts } from '../../../db/controls/proof/drifts'
import type { Db } from '../../../db/database'
import { findWallet } from '../../../db/wallets/wallets'
import type { Rails } from '../../../rail/rails'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { still, type TestBank, useSandboxBank } from '../bank/client'
import { anAccount, aTransfer } from '../bank/parties'
import { createDatabase, openDb } from '../db/database'
import { withoutTriggers } from '../db/without-triggers'
import { keptLog } from '../kept-logs'
import { forwardingTo, openedForEach } from '../opened'
import { aClaim, aConnectedPartner, movableClock, railsTo, stepDeps } from './payout'
import { payoutActivities } from './payout-activities'

/** The result of a proof that found nothing. */
export const fine = { drifts: 0, fresh: 0, busy: 0, failed: 0 }

export const log = keptLog()

/** Sets all grace periods to zero. Payouts and comparisons have their usual limits. */
export const limits = {
  graceMs: 0,
  balanceLagMs: 0,
  pauseMs: 0,
  fullEveryMs: 86_400_000,
  comparedWithinMs: 21_600_000,
  settleWithinMs: 7_200_000,
  knownWithinMs: 900_000,
}

export interface ProofStage {
  readonly db: Db
  readonly rails: Rails
  readonly clock: ReturnType<typeof movableClock>
  readonly deps: ProofDeps
  readonly steps: ReturnType<typeof payoutActivities>
  readonly wallet: { readonly id: string; readonly customer: string; readonly wallet: string }
  aPayout(): Promise<PayoutRef>
  aSentPayout(): Promise<PayoutRef>
  /** A payout whose transfer exists at the bank, but not in our database. */
  aLostAnswer(): Promise<PayoutRef>
  aStrangeTransfer(change?: object): Promise<string>
  advance(payout: PayoutRef, state: string): Promise<void>
  /** Returns the kind and subject of every open drift. */
  found(): Promise<[string, string][]>
  close(): Promise<void>
}

/** A bank for this test file, and a new wallet with its own database for each test. */
export function useProofStage() {
  const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
  const stage = openedForEach(
    () => aProofStage(bank),
    (current) => current.close(),
  )
  return {
    bank,
    stage,
    db: forwardingTo(() => stage.db),
    rails: forwardingTo(() => stage.rails),
    clock: forwardingTo(() => stage.clock),
    deps: forwardingTo(() => stage.deps),
    steps: forwardingTo(() => stage.steps),
    wallet: forwardingTo(() => stage.wallet),
  }
}

async function aProofStage(bank: TestBank): Promise<ProofStage> {
  const database = await createDatabase()
  const db = await openDb(database.url)
  const rails = railsTo(bank)
  const clock = movableClock()
  const parts = stepDeps(db, rails)
  const steps = payoutActivities(parts)
  const partnerId = (await aConnectedPartner(db, bank)).id
  // Disconnects the sandbox wallet, so that the proof compares only the live wallet with the bank.
  await db.dataSource.query(
    `UPDATE wallets SET rail = 'simulated', customer_ref = NULL, wallet_ref = NULL WHERE environment = 'sandbox'`,
  )
  const live = await findWallet(db, partnerId, 'live')
  const wallet = { id: live?.id ?? '', customer: live?.customerRef ?? '', wallet: live?.walletRef ?? '' }

  const aPayout = () => aClaim(db, { partnerId, environment: 'live' })

  async function aSentPayout(): Promise<PayoutRef> {
    const payout = await aPayout()
    await steps.debitPayout(payout)
    await steps.submitToRail(payout)
    return payout
  }

  return {
    db,
    rails,
    clock,
    deps: { db, clock, log, rails, limits },
    steps,
    wallet,
    aPayout,
    aSentPayout,
    async aLostAnswer() {
      const payout = await aSentPayout()
      await withoutTriggers(
        db,
        `UPDATE payouts SET transfer_ref = NULL, transfer_state = NULL, status = 'pending', verdict = 'unknown' WHERE id = $1`,
        [payout.payoutId],
      )
      await withoutTriggers(db, `DELETE FROM payout_events WHERE payout_id = $1 AND status = 'processing'`, [
        payout.payoutId,
      ])
      return payout
    },
    async aStrangeTransfer(change = {}) {
      const asked = { environment: 'live' } as const
      const account = await bank.post(`/customers/${wallet.customer}/external_accounts`, anAccount(), asked)
      const party = { customer: wallet.customer, wallet: wallet.wallet, account: String(account.json.id) }
      const { json, status } = await bank.post('/transfers', aTransfer(party, change), asked)
      expect(status).toBe(201)
      return String(json.id)
    },
    async advance({ payoutId }, state) {
      const [row]: { ref: string }[] = await db.dataSource.query(
        'SELECT transfer_ref AS ref FROM payouts WHERE id = $1',
        [payoutId],
      )
      const { status } = await bank.control('POST', `/transfers/${row?.ref}/advance`, { state })
      expect(status).toBe(200)
    },
    async found() {
      const drifts = await listDrifts(db, 'open', 50)
      return drifts
        .map(({ kind, subject }): [string, string] => [kind, subject])
        .toSorted((one, other) => one.join().localeCompare(other.join()))
    },
    async close() {
      rails.close()
      await db.close()
      await database.drop()
    },
  }
}
