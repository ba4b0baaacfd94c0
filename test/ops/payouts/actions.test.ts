import { describe, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/client'
import { resolveSubmit } from '../../../activities/payouts/resolve'
import { pauseRail, resumeRail } from '../../../db/bank/rail-pauses'
import { latestActivity } from '../../../db/controls/activity'
import { loadStep, setAttention } from '../../../db/payouts/steps'
import { resolveByHand } from '../../../ops/payouts/by-hand/resolve'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { byOps, expectAllRefused, useOpsStage } from '../../support/stages/ops'
import { aClaim, stepDeps } from '../../support/stages/payout'

const { terminal, bank, rails, temporal, partner, ops, steps, rowOf, transfersOf, lastEvents, balance } = useOpsStage({
  PAYOUT_REPEAT_MS: '0',
  PAYOUT_QUIET_MS: '0',
})
const toTransfers = { method: 'POST', path: '/v0/transfers' }

describe('payout resolve', () => {
  test('as sent, with a transfer that the bank confirms, sets the payout to processing and records the operator and the evidence', async () => {
    const payout = await anUnknown('after')
    const [transfer] = await transfersOf(payout)

    const { code, out } = await resolve(payout, ['--outcome', 'sent', '--transfer', transfer?.id ?? ''])

    expect([code, out]).toEqual([0, 'The payout is processing; it continues automatically.\n'])
    expect(await rowOf(payout)).toMatchObject({
      status: 'processing',
      verdict: 'accepted',
      transfer_ref: transfer?.id,
    })
    expect(await transfersOf(payout)).toHaveLength(1)
    expect(await lastEvents(payout, 2)).toEqual([
      expect.objectContaining({ kind: 'sent', made_by: 'bank' }),
      expect.objectContaining({ kind: 'resolved', made_by: byOps, detail: `sent as ${transfer?.id}: by their letter` }),
    ])
    expect((await latestActivity(terminal.db, partner.id, 1))[0]).toMatchObject({
      action: 'payout.resolve',
      detail: payout.payoutId,
      madeBy: byOps,
      changes: 'something',
    })
  })

  test('takes effect once when two operators concurrently resolve a payout as sent', async () => {
    const payout = await anUnknown('after')
    const [transfer] = await transfersOf(payout)
    const asked: (() => void)[] = []
    // Neither run continues until both have read the row and are about to call the bank.
    const provider_sandbox = {
      ...rails.provider_sandbox,
      async transfer(ref: string) {
        await new Promise<void>((resume) => {
          asked.push(resume)
          if (asked.length === 2) for (const each of asked) each()
        })
        return rails.provider_sandbox.transfer(ref)
      },
    }
    const deps = stepDeps(terminal.db, { ...rails, provider_sandbox })
    const decision = {
      payoutId: payout.payoutId,
      transferRef: transfer?.id ?? '',
      evidence: 'a letter',
      by: 'ops:test',
    }

    const resolutions = await Promise.all([resolveByHand(deps, decision), resolveByHand(deps, decision)])

    expect(new Set(resolutions.map(({ outcome }) => outcome))).toEqual(new Set(['resolved', 'refused']))
    expect(await lastEvents(payout, 2)).toEqual([
      expect.objectContaining({ kind: 'sent' }),
      expect.objectContaining({ kind: 'resolved' }),
    ])
  })

  test('as sent is refused for another payout’s transfer, and for a transfer that the bank does not have', async () => {
    const [payout, other] = [await anUnknown('before'), await anUnknown('after')]
    const [transfer] = await transfersOf(other)

    const refusals = [
      await resolve(payout, ['--outcome', 'sent', '--transfer', transfer?.id ?? '']),
      await resolve(payout, ['--outcome', 'sent', '--transfer', 'tr_none']),
      await resolve(payout, ['--outcome', 'sent']),
      await resolve(payout, ['--outcome', 'not-sent', '--transfer', 'tr_none']),
    ]

    expectAllRefused(refusals)
    expect(await rowOf(payout)).toMatchObject({ status: 'pending', verdict: 'unknown', transfer_ref: null })
  })

  test('as not-sent fails and refunds a payout that needs attention, once for two concurrent commands', async () => {
    const before = await balance()
    const payout = await anUnknown('before')
    await setAttention(terminal.db, payout.payoutId, 'outcome_unknown')

    const both = await Promise.all([notSent(payout), notSent(payout)])

    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]))
    expect(both.map(({ out }) => out)).toContain('The payout is failed; its money is back in the wallet.\n')
    expect(await rowOf(payout)).toMatchObject({
      status: 'failed',
      failure_reason: 'not_sent: The bank has no such transfer.',
      attention: null,
    })
    expect(await balance()).toBe(before)
    expect(await transfersOf(payout)).toHaveLength(0)
    expect(await lastEvents(payout, 1)).toEqual([
      expect.objectContaining({ kind: 'resolved', made_by: byOps, detail: 'not sent: by their letter' }),
    ])
  })

  test('as not-sent is refused before the payout needs an operator, while a retry is possible, and if the bank has the transfer', async () => {
    const [unreported, early, sent] = [await anUnknown('before'), await anUnknown('before'), await anUnknown('after')]
    for (const { payoutId } of [early, sent]) await setAttention(terminal.db, payoutId, 'outcome_unknown')
    const held = await balance()

    const refusals = [
      await notSent(unreported),
      await notSent(early, { PAYOUT_REPEAT_MS: '60000', PAYOUT_QUIET_MS: '0' }),
      await notSent(early, { PAYOUT_REPEAT_MS: '0', PAYOUT_QUIET_MS: '60000' }),
      await notSent(early, { PAYOUT_REPEAT_MS: '', PAYOUT_QUIET_MS: '' }),
      await notSent(sent),
    ]

    expectAllRefused(refusals)
    expect(refusals.at(-1)?.err).toMatch(/^The bank has the transfer \S+ of this payout, so it was sent\.\n$/)
    expect(await balance()).toBe(held)
    for (const payout of [unreported, early, sent]) expect(await rowOf(payout)).toMatchObject({ verdict: 'unknown' })
  })

  test('is refused for a payout that is not sent yet, already sent, final or unknown', async () => {
    const fresh = await aClaim(terminal.db, { partnerId: partner.id })
    await steps().debitPayout(fresh)
    const sent = await aClaim(terminal.db, { partnerId: partner.id })
    await steps().debitPayout(sent)
    await steps().submitToRail(sent)
    const over = await aClaim(terminal.db, { partnerId: partner.id })
    await steps().debitPayout(over)
    await steps().cancelPayout(over)
    const none = { payoutId: partner.id, attempt: 1 }

    expectAllRefused(await Promise.all([fresh, sent, over, none].map((payout) => notSent(payout))))
    expect((await transfersOf(sent)).length).toBe(1)
  })

  test('changes nothing when the bank does not answer', async () => {
    const payout = await anUnknown('before')
    await setAttention(terminal.db, payout.payoutId, 'outcome_unknown')

    const { code, err } = await notSent(payout, { BANK_SANDBOX_URL: 'http://127.0.0.1:1/v0' })

    expect([code, err]).toEqual([1, 'The bank does not answer: check that it is running, then repeat the command.\n'])
    expect(await rowOf(payout)).toMatchObject({ status: 'pending', verdict: 'unknown' })
  })

  test('as not-sent can race a worker that finds the transfer, and exactly one of the two decides the payout', async () => {
    const limits = { repeatForMs: 0, listLagMs: 0, answerWithinMs: 400, answerCallMs: 300 }
    const worker = stepDeps(terminal.db, rails, { limits })
    // Only the operator gets an incomplete transfer list from the bank.
    const provider_sandbox = {
      ...rails.provider_sandbox,
      findTransfer: async () => ({ outcome: 'incomplete' }) as const,
    }
    const operator = { ...worker, rails: { ...rails, provider_sandbox } }
    for (let round = 0; round < 6; round++) {
      const before = await balance()
      const payout = await anUnknown('after')
      await setAttention(terminal.db, payout.payoutId, 'outcome_unknown')
      const decision = { payoutId: payout.payoutId, transferRef: null, evidence: 'none', by: 'ops:test' }
      // In every second round the worker finishes first. In the other rounds, the two race.
      const finding = resolveSubmit(worker, payout)
      if (round % 2 === 0) await finding

      const [resolved] = await Promise.all([resolveByHand(operator, decision), finding])

      const { status, attention } = await loadStep(terminal.db, payout.payoutId)
      expect([status, attention, before - (await balance())]).toEqual(
        resolved.outcome === 'resolved' ? ['failed', 'unaccounted_transfer', 0n] : ['processing', null, 153_300_000n],
      )
    }
  })
})

describe('payout retry', () => {
  test('starts a missing workflow, wakes a running one, and records the operator', async () => {
    const payout = await anUnknown('before')

    const first = await ops(['payout', 'retry', '--payout', payout.payoutId, '--json'])
    const second = await ops(['payout', 'retry', '--payout', payout.payoutId, '--json'])

    expect([first, second].map(({ out }) => JSON.parse(out).workflow)).toEqual(['started', 'woken'])
    const { workflow_id } = await terminal.json<{ workflow_id: string }>('payout', 'show', '--payout', payout.payoutId)
    const handle = temporal.workflow.getHandle(workflow_id)
    const { events } = await handle.fetchHistory()
    const signals = events?.flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [])
    expect(signals).toEqual(['bankSpoke'])
    await handle.terminate('a test')
    const actions = await latestActivity(terminal.db, partner.id, 2)
    expect(actions.map(({ action, madeBy }) => [action, madeBy])).toEqual([
      ['payout.retry', byOps],
      ['payout.retry', byOps],
    ])
    expect(await lastEvents(payout, 2)).toEqual([
      expect.objectContaining({ kind: 'retried', detail: 'started', made_by: byOps }),
      expect.objectContaining({ kind: 'retried', detail: 'woken', made_by: byOps }),
    ])
  })

  test('reports that the payout keeps waiting while the rail is paused', async () => {
    const payout = await aClaim(terminal.db, { partnerId: partner.id })
    await steps().debitPayout(payout)
    const at = systemClock.now()
    await pauseRail(terminal.db, { environment: 'sandbox', by: 'ops:ada', reason: null, at })

    const { code, out } = await ops(['payout', 'retry', payout.payoutId])
    await resumeRail(terminal.db, { environment: 'sandbox', by: 'ops:ada', at: systemClock.now() })
    const open = await ops(['payout', 'retry', payout.payoutId])

    expect([code, open.out]).toEqual([0, 'Its workflow was woken.\n'])
    expect(out).toBe(
      `It had no running workflow; a new one was started. The sandbox rail is paused, since ${at.toISOString()} by ops:ada: ` +
        'until `rail resume`, an unsent payout waits, and a sent one is only looked up.\n',
    )
    const { workflow_id } = await terminal.json<{ workflow_id: string }>('payout', 'show', payout.payoutId)
    await temporal.workflow.getHandle(workflow_id).terminate('a test')
    await steps().cancelPayout(payout)
  })

  test('starts no workflow if the operator cannot be recorded', async () => {
    const payout = await anUnknown('before')
    await terminal.db.dataSource.query(`CREATE FUNCTION no_retry() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'not recorded'; END $$`)
    await terminal.db.dataSource.query(`CREATE TRIGGER no_retry BEFORE INSERT ON payout_events FOR EACH ROW
      WHEN (NEW.kind = 'retried') EXECUTE FUNCTION no_retry()`)

    const { err } = await ops(['payout', 'retry', payout.payoutId])
    await terminal.db.dataSource.query('DROP FUNCTION no_retry CASCADE')

    expect(err).toBe('Unexpected error: not recorded.\n')
    const { workflow_id } = await terminal.json<{ workflow_id: string }>('payout', 'show', payout.payoutId)
    await expect(temporal.workflow.getHandle(workflow_id).describe()).rejects.toThrow(WorkflowNotFoundError)
  })

  test('is refused for a final or unknown payout, and fails if Temporal does not answer', async () => {
    const over = await aClaim(terminal.db, { partnerId: partner.id })
    await steps().debitPayout(over)
    await steps().cancelPayout(over)
    const open = await anUnknown('before')

    expectAllRefused([
      await ops(['payout', 'retry', '--payout', over.payoutId]),
      await ops(['payout', 'retry', '--payout', partner.id]),
    ])
    const withoutTemporal = await ops(['payout', 'retry', '--payout', open.payoutId], {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    })
    const unset = await terminal.ops('payout', 'retry', '--payout', open.payoutId)

    expect([withoutTemporal.code, withoutTemporal.err]).toEqual([
      1,
      'Temporal does not answer: check that it is running, then repeat the command.\n',
    ])
    expect([unset.code, unset.err]).toEqual([1, expect.stringMatching(/^Also set TEMPORAL_ADDRESS/)])
    expect(await latestActivity(terminal.db, partner.id, 5)).not.toContainEqual(
      expect.objectContaining({ action: 'payout.retry' }),
    )
  })
})

const resolve = ({ payoutId }: PayoutRef, more: readonly string[], change: Record<string, string> = {}) =>
  ops(['payout', 'resolve', '--payout', payoutId, '--evidence', 'by their letter', ...more], change)
const notSent = (payout: PayoutRef, change: Record<string, string> = {}) =>
  resolve(payout, ['--outcome', 'not-sent'], change)

/** A payout for which the bank's response was lost, before or after the bank stored the transfer. */
async function anUnknown(stage: 'before' | 'after'): Promise<PayoutRef> {
  const payout = await aClaim(terminal.db, { partnerId: partner.id })
  await steps().debitPayout(payout)
  await bank.fault({ kind: 'reset', stage, times: 1, match: toTransfers })
  expect(await steps().submitToRail(payout)).toMatchObject({ at: 'unknown' })
  return payout
}
