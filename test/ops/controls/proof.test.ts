// The proof, audit verify and payout shred commands, with a real database and the sandbox bank.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { driftSteps } from '../../../ops/controls/proof'
import type { Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { keys, openTestBank, still, type TestBank } from '../../support/bank/client'
import { sealAll } from '../../support/db/seal-all'
import { withoutTriggers } from '../../support/db/without-triggers'
import { aClaim, aConnectedPartner, railsTo, stepDeps } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'
import { type OpsTerminal, oneSentence, openTerminal, type Ran, runWith } from '../../support/terminal'

let terminal: OpsTerminal
let bank: TestBank
let rails: Rails
let partnerId: string
let steps: ReturnType<typeof payoutActivities>

beforeAll(async () => {
  bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
  rails = railsTo(bank)
})
afterAll(async () => {
  rails.close()
  await bank.close()
})
beforeEach(async () => {
  await terminal?.close()
  terminal = await openTerminal()
  partnerId = (await aConnectedPartner(terminal.db, bank)).id
  await terminal.db.dataSource.query(
    `UPDATE wallets SET rail = 'simulated', customer_ref = NULL, wallet_ref = NULL WHERE environment = 'sandbox'`,
  )
  const parts = stepDeps(terminal.db, rails)
  steps = payoutActivities(parts)
})
afterAll(() => terminal.close())

describe('proof', () => {
  test('runs a proof when no verb is given, reports that there is no drift, and exits with 0', async () => {
    const none = 'Reconciled 2 wallets: no drift.\n'

    expect(await ops('proof')).toEqual({ code: 0, out: none, err: '' })
    expect(await ops('proof', 'run')).toEqual({ code: 0, out: none, err: '' })
    expect(await ops('proof', 'list')).toEqual({ code: 0, out: 'No drift is open.\n', err: '' })
  })

  test('shows every drift and exits with 1, and proof list shows the same', async () => {
    const { payoutId } = await aSentPayout()
    await withoutTriggers(
      terminal.db,
      `DELETE FROM ledger_entries WHERE balance_micro_usdc IS NULL AND set_id IN
      (SELECT id FROM ledger_sets WHERE payout_id = $1)`,
      [payoutId],
    )

    const { code, out } = await ops('proof')
    const listed = await ops('proof', 'list', '--json')

    expect(code).toBe(1)
    expect(out).toMatch(/^Reconciled 2 wallets: \d drifts?\.\nOpen:\nID +KIND +PARTNER +ENVIRONMENT +SUBJECT/)
    expect(out).toMatch(/set_sum .* 0\.00 USDC +-153\.30 USDC /)
    expect(out).toContain(`\nset_sum: ${driftSteps.set_sum}\n`)
    expect(listed.code).toBe(1)
    expect(JSON.parse(listed.out).data).toContainEqual(
      expect.objectContaining({ kind: 'set_sum', environment: 'live', next_step: driftSteps.set_sum }),
    )
  })

  test('verifies every row with --full, including those before the checkpoint', async () => {
    const { payoutId } = await aSentPayout()
    expect(await ops('proof')).toMatchObject({ code: 0 })
    await withoutTriggers(terminal.db, 'DELETE FROM payout_events WHERE payout_id = $1', [payoutId])

    const [changes, full, wrong] = [await ops('proof'), await ops('proof', '--full'), await ops('proof', '--full=yes')]

    expect([changes.code, full.code]).toEqual([0, 1])
    expect(full.out).toContain('payout_row')
    expect(wrong).toMatchObject({ code: 2, err: '--full takes no value.\n' })
  })

  test('fails when the bank is unavailable', async () => {
    const withoutBank = { ...bankVariables(), BANK_LIVE_URL: 'http://127.0.0.1:1/v0' }
    const message = 'The bank did not answer for 1 wallet: nothing was compared, and open drifts stay open.'

    const { code, out } = await runWith({ ...terminal.env, ...withoutBank }, ['proof'])

    expect([code, out]).toEqual([1, expect.stringContaining(message)])
    expect(out).toMatch(/^Reconciled 1 of 2 wallets; no drift known\. /)
  })

  test('prints an internal error, because operators do not read this process’s log', async () => {
    await terminal.db.dataSource.query('ALTER TABLE held_deposits RENAME TO held_elsewhere')

    const { code, out } = await ops('proof')

    expect(code).toBe(1)
    expect(out).toMatch(
      /^Reconciled 0 of 2 wallets; no drift known\. 2 wallets could not be reconciled because of an error: .*held_deposits/,
    )
    expect(out).not.toContain('The bank did not answer')
  })
})

describe('proof accept and proof reopen', () => {
  test('an accepted drift is listed separately, the proof exits with 0, and the activity list records the decision', async () => {
    const id = await aDrift()

    const accepted = await ops('proof', 'accept', '--drift', id, '--reason', 'Ticket 4711')
    const { code, out } = await ops('proof')
    const listed = await ops('proof', 'list', '--json')

    expect([accepted.code, accepted.out]).toEqual([
      0,
      expect.stringMatching(/^The drift set_sum of .* is accepted\.\n$/),
    ])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Reconciled 2 wallets: no drift\. 1 more is accepted\.\nAccepted:\n/),
    ])
    expect(JSON.parse(listed.out)).toMatchObject({
      data: [],
      accepted: [{ id, kind: 'set_sum', reason: 'Ticket 4711', accepted_by: expect.stringMatching(/^ops:/) }],
    })
    const [entry] = await latestActivity(terminal.db, partnerId, 1)
    expect(entry).toMatchObject({ action: 'drift.accept', detail: id, environment: 'live', changes: 'something' })
    expect(await ledgerSize()).toBe(entries)
  })

  test('a drift can be reopened, and both decisions stay recorded', async () => {
    const id = await aDrift()
    await ops('proof', 'accept', '--drift', id, '--reason', 'Ticket 4711')

    const reopened = await ops('proof', 'reopen', '--drift', id, '--reason', 'Not that one')
    const { code } = await ops('proof')

    expect([reopened.code, code]).toEqual([0, 1])
    const decisions = () =>
      terminal.db.dataSource.query('SELECT outcome, reason FROM drift_decisions ORDER BY decided_at, id')
    expect(await decisions()).toEqual([
      { outcome: 'accepted', reason: 'Ticket 4711' },
      { outcome: 'reopened', reason: 'Not that one' },
    ])
    await expect(terminal.db.dataSource.query('DELETE FROM drift_decisions')).rejects.toThrow('append only')
    await expect(terminal.db.dataSource.query(`UPDATE drift_decisions SET reason = ''`)).rejects.toThrow('append only')
  })

  test('accepting an unknown drift, accepting without a reason, and reopening an open drift are refused', async () => {
    const id = await aDrift()
    const unknown = '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4'
    const refusals = [
      await ops('proof', 'accept', '--drift', unknown, '--reason', 'none'),
      await ops('proof', 'reopen', '--drift', id, '--reason', 'none'),
      await ops('proof', 'accept', '--drift', id),
    ]

    expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2])
    for (const { err } of refusals) expect(err).toMatch(oneSentence)
  })

  let entries: number

  /** Deletes one side of a ledger set. Returns the id of the drift that the proof then reports. */
  async function aDrift(): Promise<string> {
    await withoutTriggers(
      terminal.db,
      `DELETE FROM ledger_entries WHERE balance_micro_usdc IS NULL AND set_id IN
        (SELECT s.id FROM ledger_sets s JOIN wallets w ON w.id = s.wallet_id WHERE s.bank_ref IS NOT NULL AND w.environment = 'live')`,
    )
    entries = await ledgerSize()
    const { out } = await ops('proof', '--json')
    const { data }: { data: { id: string; kind: string }[] } = JSON.parse(out)
    expect(data.map(({ kind }) => kind)).toEqual(['set_sum'])
    return data[0]?.id ?? ''
  }

  async function ledgerSize(): Promise<number> {
    const [row]: { count: string }[] = await terminal.db.dataSource.query('SELECT count(*) FROM ledger_entries')
    return Number(row?.count)
  }
})

describe('audit verify', () => {
  test('reports that the chain is intact, with its head and the number of unsealed rows', async () => {
    const before = await terminal.json<{ unsealed_tail: string }>('audit', 'verify')
    await seal()
    const { code, out } = await ops('audit', 'verify')

    expect(Number(before.unsealed_tail)).toBeGreaterThan(3)
    expect(code).toBe(0)
    expect(out).toMatch(
      /^The audit chain is intact\.\nlinks_that_hold +\d+\nhead +[0-9a-f]{64}\nunsealed_tail +0\narchived_rows +0\n$/,
    )
  })

  test('names the first changed row, and exits with 1', async () => {
    await seal()
    const [row]: { id: string }[] = await terminal.db.dataSource.query('SELECT min(id)::text AS id FROM ledger_entries')
    await withoutTriggers(terminal.db, 'UPDATE ledger_entries SET amount_micro_usdc = 1 WHERE id::text = $1', [row?.id])

    const { code, out } = await ops('audit', 'verify')

    expect(code).toBe(1)
    expect(out).toContain(`The row ${row?.id} of ledger_entries was changed after it was sealed`)
    // The command prints no head, because the head before the fault would look valid.
    expect(out).not.toMatch(/^head /m)
    const { out: json } = await ops('audit', 'verify', '--json')
    expect(JSON.parse(json)).toMatchObject({ head: null, what: 'row_changed' })
  })
})

describe('payout shred', () => {
  test('erases one final payout’s bank details, and leaves the ledger, the audit chain and other payouts unchanged', async () => {
    const [one, other] = [await aCompletedPayout(), await aCompletedPayout()]
    await seal()

    const { code, out } = await shred(one)
    const again = await shred(one)

    expect([code, out]).toEqual([0, `The bank details and notes of ${one.payoutId} are erased.\n`])
    expect(again.out).toBe(`The bank details and notes of ${one.payoutId} are already erased.\n`)
    expect(await sealedOnes()).toEqual([other.payoutId])
    const [entry] = await latestActivity(terminal.db, partnerId, 1)
    expect(entry).toMatchObject({
      action: 'payout.shred',
      detail: one.payoutId,
      madeBy: expect.stringMatching(/^ops:/),
    })
    const { events } = await terminal.json<{ events: object[] }>('payout', 'show', one.payoutId)
    expect(events.at(-1)).toMatchObject({ event: 'shredded', status: 'completed', by: entry?.madeBy, detail: null })
    expect((await ops('payout', 'explain', one.payoutId)).out).toContain(`${entry?.madeBy} erased its bank details`)
    await requireValidLedger(terminal.db.dataSource)
    expect((await ops('audit', 'verify')).code).toBe(0)
    expect((await ops('proof')).code).toBe(0)
  })

  test('is refused for an unknown payout, and for a payout that may still need its bank details', async () => {
    const open = await aSentPayout()
    const refusals = [await shred(open), await shred({ payoutId: '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4', attempt: 1 })]

    expect(refusals.map(({ code }) => code)).toEqual([2, 2])
    for (const { err } of refusals) expect(err).toMatch(oneSentence)
    expect(await sealedOnes()).toEqual([open.payoutId])
  })
})

function ops(...argv: string[]): Promise<Ran> {
  return runWith({ ...terminal.env, ...bankVariables() }, argv)
}

function bankVariables() {
  const url = `${bank.url}/v0`
  const quick = { PROOF_QUIET_MS: '0', PROOF_PAUSE_MS: '0' }
  return {
    BANK_SANDBOX_URL: url,
    BANK_SANDBOX_KEY: keys.sandbox,
    BANK_LIVE_URL: url,
    BANK_LIVE_KEY: keys.live,
    ...quick,
  }
}

function shred({ payoutId }: PayoutRef): Promise<Ran> {
  return ops('payout', 'shred', '--payout', payoutId)
}

function seal(): Promise<number> {
  return sealAll(terminal.db, systemClock.now())
}

async function aSentPayout(): Promise<PayoutRef> {
  const payout = await aClaim(terminal.db, { partnerId, environment: 'live' })
  await steps.debitPayout(payout)
  await steps.submitToRail(payout)
  return payout
}

async function aCompletedPayout(): Promise<PayoutRef> {
  const payout = await aSentPayout()
  const [row]: { ref: string }[] = await terminal.db.dataSource.query(
    'SELECT transfer_ref AS ref FROM payouts WHERE id = $1',
    [payout.payoutId],
  )
  await bank.control('POST', `/transfers/${row?.ref}/advance`, { state: 'payment_processed' })
  await steps.settle(payout)
  return payout
}

async function sealedOnes(): Promise<string[]> {
  const rows: { id: string }[] = await terminal.db.dataSource.query('SELECT payout_id AS id FROM sealed_recipients')
  return rows.map(({ id }) => id)
}
