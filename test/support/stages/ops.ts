// Runs ops commands about payouts with a real database, Temporal, and a bank whose transfers advance only on request.
import { randomBytes } from 'node:crypto'
import { afterEach, expect } from '@jest/globals'
import { findWallet } from '../../../db/wallets/wallets'
import { connectClient } from '../../../runtime/temporal/client'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { keys, openTestBank, still } from '../bank/client'
import { testSystem } from '../jest/system'
import { forwardingTo, opened, openedForEach } from '../opened'
import { testTemporal } from '../temporal/a-worker'
import { oneSentence, openTerminal, type Ran, runWith } from '../terminal'
import { aConnectedPartner, railsTo, stepDeps } from './payout'
import { payoutActivities } from './payout-activities'

/** A stage for this test file, and a new connected partner for each test. The ledger must be valid after each test. */
export function useOpsStage(settings: Readonly<Record<string, string>>) {
  const stage = opened(openStage, (current) => current.close())
  const terminal = forwardingTo(() => stage.terminal)
  const bank = forwardingTo(() => stage.bank)
  const rails = forwardingTo(() => stage.rails)
  const partner = openedForEach(() => aConnectedPartner(terminal.db, bank))
  const prefix = `test-${randomBytes(6).toString('hex')}`
  afterEach(async () => {
    await bank.control('DELETE', '/faults')
    await requireValidLedger(terminal.db.dataSource)
  })

  return {
    terminal,
    bank,
    rails,
    partner,
    temporal: forwardingTo(() => stage.temporal),
    ops: (argv: readonly string[], change: Readonly<Record<string, string>> = {}): Promise<Ran> => {
      const here = {
        BANK_SANDBOX_URL: `${bank.url}/v0`,
        BANK_SANDBOX_KEY: keys.sandbox,
        TEMPORAL_ADDRESS: testSystem().temporalAddress,
        TASK_QUEUE_PREFIX: prefix,
      }
      return runWith({ ...terminal.env, ...here, ...settings, ...change }, argv)
    },
    steps: () => payoutActivities(stepDeps(terminal.db, rails)),
    rowOf: async ({ payoutId }: PayoutRef): Promise<unknown> => {
      const [row] = await terminal.db.dataSource.query('SELECT * FROM payouts WHERE id = $1', [payoutId])
      return row
    },
    transfersOf: async ({ payoutId }: PayoutRef): Promise<{ readonly id: string }[]> =>
      (await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)).json.data,
    lastEvents: async ({ payoutId }: PayoutRef, count: number): Promise<unknown[]> => {
      const sql = 'SELECT kind, made_by, detail FROM payout_events WHERE payout_id = $1 ORDER BY id'
      return (await terminal.db.dataSource.query(sql, [payoutId])).slice(-count)
    },
    balance: async (): Promise<bigint> =>
      (await findWallet(terminal.db, partner.id, 'sandbox'))?.balanceMicroUsdc ?? -1n,
  }
}

export const byOps = expect.stringMatching(/^ops:\S+$/)

export function expectAllRefused(refusals: readonly Ran[]): void {
  expect(refusals.map(({ code }) => code)).toEqual(refusals.map(() => 2))
  for (const { err } of refusals) expect(err).toMatch(oneSentence)
}

async function openStage() {
  const terminal = await openTerminal()
  const temporal = connectClient(testTemporal())
  await requireSearchAttributes(temporal, wantedAttributes)
  const bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
  const rails = railsTo(bank)
  return {
    terminal,
    temporal,
    bank,
    rails,
    async close() {
      rails.close()
      await bank.close()
      await temporal.connection.close()
      await terminal.close()
    },
  }
}
