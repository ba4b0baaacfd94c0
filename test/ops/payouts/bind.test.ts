// payout bind links a transfer to a released payout, with a real database, Temporal and the sandbox bank.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { findLedgerDrifts } from '../../../db/controls/proof/ledger'
import { findPayout } from '../../../db/payouts/payouts'
import { loadStep, setAttention } from '../../../db/payouts/steps'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet } from '../../../db/wallets/wallets'
import { floatReversalPostings } from '../../../domain/wallets/ledger'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { byOps, expectAllRefused, useOpsStage } from '../../support/stages/ops'
import { aClaim, stepDeps } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const { terminal, bank, rails, temporal, partner, ops, steps, rowOf, transfersOf, lastEvents, balance } = useOpsStage({
  PROOF_PAUSE_MS: '0',
  PROOF_QUIET_MS: '0',
})
const toTransfers = { method: 'POST', path: '/v0/transfers' }

test('reconciliation reports a released payout’s transfer until the transfer is bound', async () => {
  const { payout, transferRef } = await aReleasedButSent()

  const before = await driftsOf(payout)
  await bind(payout, transferRef)
  const after = await driftsOf(payout)

  expect([before, after]).toEqual([[['transfer_without_payout', transferRef]], []])
})

describe('payout bind', () => {
  test('debits a released payout again if the bank did send it, shows it to its partner, and lets it settle', async () => {
    const before = await balance()
    const { payout, transferRef } = await aReleasedButSent()
    expect(await balance()).toBe(before)

    const { code, out } = await bind(payout, transferRef)

    expect([code, out]).toEqual([0, expect.stringContaining(`processing and follows the transfer ${transferRef}`)])
    expect(before - (await balance())).toBe(153_300_000n)
    expect(await rowOf(payout)).toMatchObject({
      status: 'processing',
      verdict: 'accepted',
      transfer_ref: transferRef,
      released_at: null,
      attention: null,
    })
    expect(await lastEvents(payout, 2)).toEqual([
      expect.objectContaining({ kind: 'sent' }),
      expect.objectContaining({
        kind: 'resolved',
        made_by: byOps,
        detail: `bound to ${transferRef} after its release: by their letter`,
      }),
    ])
    const actions = (await latestActivity(terminal.db, partner.id, 2)).map(({ action, detail }) => [action, detail])
    expect(actions).toEqual([
      ['payout.bind', payout.payoutId],
      ['payout.create', payout.payoutId],
    ])
    expect(
      await findPayout(terminal.db, { partnerId: partner.id, environment: 'sandbox' }, payout.payoutId),
    ).not.toBeNull()
    await expect(aClaim(terminal.db, { partnerId: partner.id, idempotencyKey: await keyOf(payout) })).rejects.toThrow(
      'taken',
    )

    await move(transferRef, 'payment_processed')
    expect(await steps().settle(payout)).toMatchObject({ at: 'over', status: 'completed' })
    expect(await transfersOf(payout)).toHaveLength(1)
    const { walletId } = await loadStep(terminal.db, payout.payoutId)
    expect(await terminal.db.transaction((tx) => findLedgerDrifts(tx, walletId))).toMatchObject({ findings: [] })
    expectAllRefused([await bind(payout, transferRef)])
  })

  test('starts the workflow that settles the payout', async () => {
    const { payout, transferRef } = await aReleasedButSent()

    await bind(payout, transferRef)

    const { workflow_id } = await terminal.json<{ workflow_id: string }>('payout', 'show', payout.payoutId)
    const handle = temporal.workflow.getHandle(workflow_id)
    expect((await handle.describe()).status.name).toBe('RUNNING')
    await handle.terminate('a test')
  })

  test('debits once when two operators run it concurrently', async () => {
    const before = await balance()
    const { payout, transferRef } = await aReleasedButSent()

    const both = await Promise.all([bind(payout, transferRef), bind(payout, transferRef)])

    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]))
    expect(before - (await balance())).toBe(153_300_000n)
  })

  test('is refused with the missing amount when the wallet does not cover the payout, and the idempotency key stays taken', async () => {
    const { payout, transferRef } = await aReleasedButSent()
    const rest = (await balance()) - 100_000_000n
    const wallet = await findWallet(terminal.db, partner.id, 'sandbox')
    const about = {
      walletId: wallet?.id ?? '',
      cause: 'float_reversal',
      causeRef: 'test',
      payoutId: null,
      createdBy: 'test',
    }
    await postSet(terminal.db, { ...about, at: systemClock.now(), postings: floatReversalPostings(rest) })

    const { code, err } = await bind(payout, transferRef)

    expect([code, err]).toEqual([2, expect.stringContaining('53.30 USDC are missing')])
    expect(await balance()).toBe(100_000_000n)
    expect(await rowOf(payout)).toMatchObject({ released_at: expect.any(Date), transfer_ref: null })
    await expect(aClaim(terminal.db, { partnerId: partner.id, idempotencyKey: await keyOf(payout) })).rejects.toThrow(
      'taken',
    )
  })

  test('is refused for another payout’s transfer, an unknown transfer, and a payout that is not released', async () => {
    const { payout } = await aReleasedButSent()
    const open = await aSent()
    const [other] = await transfersOf(open)

    expectAllRefused([
      await bind(payout, other?.id ?? ''),
      await bind(payout, 'tr_none'),
      await bind(open, other?.id ?? ''),
      await bind({ payoutId: partner.id, attempt: 1 }, 'tr_none'),
    ])
    expect(await rowOf(payout)).toMatchObject({ released_at: expect.any(Date), transfer_ref: null })
  })

  test('is refused for a transfer that the bank has refunded', async () => {
    const { payout, transferRef } = await aReleasedButSent()
    await move(transferRef, 'undeliverable')
    await move(transferRef, 'refunded')

    const { code, err } = await bind(payout, transferRef)

    expect([code, err]).toEqual([2, expect.stringContaining('returned this money')])
  })

  test('is refused for a transfer of an earlier attempt, whether or not the later attempt called the bank', async () => {
    const { payout, transferRef } = await aReleasedButSent()
    const idempotencyKey = await keyOf(payout)
    await attended(payout, ['--free-key', 'yes'])
    const second = await aClaim(terminal.db, { partnerId: partner.id, idempotencyKey })
    // Simulates a retry after five seconds, as Retry-After requires.
    const later = `UPDATE payouts SET created_at = created_at + interval '5 seconds' WHERE id = $1`
    await terminal.db.dataSource.query(later, [second.payoutId])
    const whileOpen = await bind(second, transferRef)
    await steps().debitPayout(second)
    await bank.fault({ kind: 'status', status: 429, times: null, match: toTransfers })
    expect(await steps().submitToRail(second)).toMatchObject({ at: 'over' })

    const afterwards = await bind(second, transferRef)

    expect(second.attempt).toBe(2)
    expectAllRefused([whileOpen, afterwards])
    expect(afterwards.err).toContain('belongs to an attempt before the latest one, attempt 2')
  })
})

test('payout bind accepts the second attempt’s transfer if the first one sent nothing', async () => {
  const idempotencyKey = `order-${randomBytes(6).toString('hex')}`
  const first = await aClaim(terminal.db, { partnerId: partner.id, idempotencyKey })
  await steps().debitPayout(first)
  await bank.fault({ kind: 'status', status: 429, times: null, match: toTransfers })
  expect(await steps().submitToRail(first)).toMatchObject({ at: 'over' })
  await bank.control('DELETE', '/faults')
  const { payout, transferRef } = await aReleasedButSent(idempotencyKey)

  const { code } = await bind(payout, transferRef)

  expect([payout, code]).toEqual([{ ...first, attempt: 2 }, 0])
  expect(await rowOf(payout)).toMatchObject({ status: 'processing', transfer_ref: transferRef })
})

describe('payout attended', () => {
  test('frees the key of a payout that the bank may have sent, but only with --free-key yes, and explains the effect', async () => {
    const { payout } = await aReleasedButSent()
    const idempotencyKey = await keyOf(payout)

    const kept = await attended(payout, [])
    const taken = await aClaim(terminal.db, { partnerId: partner.id, idempotencyKey }).catch(() => 'taken')
    const freed = await attended(payout, ['--free-key', 'yes'])

    expect([kept.code, kept.err]).toEqual([2, expect.stringMatching(/payout bind.*--free-key yes.*pays again/)])
    expect([taken, freed.code]).toEqual(['taken', 0])
    expect(await lastEvents(payout, 1)).toEqual([
      expect.objectContaining({
        kind: 'attended',
        detail: 'bank_contradicts_payment_submitted: key freed, the next request may pay again: by phone',
      }),
    ])
    expect(await aClaim(terminal.db, { partnerId: partner.id, idempotencyKey })).toEqual({ ...payout, attempt: 2 })
  })
})

const bind = ({ payoutId }: PayoutRef, transferRef: string) =>
  ops(['payout', 'bind', '--payout', payoutId, '--transfer', transferRef, '--evidence', 'by their letter'])
const attended = ({ payoutId }: PayoutRef, more: readonly string[]) =>
  ops(['payout', 'attended', '--payout', payoutId, '--note', 'by phone', ...more])

/** A payout that was released although the bank has sent it, with the attention code that a bank event sets. */
async function aReleasedButSent(
  idempotencyKey = `order-${randomBytes(6).toString('hex')}`,
): Promise<{ readonly payout: PayoutRef; readonly transferRef: string }> {
  const payout = await aClaim(terminal.db, { partnerId: partner.id, idempotencyKey })
  await steps().debitPayout(payout)
  const deps = stepDeps(terminal.db, {
    ...rails,
    provider_sandbox: {
      ...rails.provider_sandbox,
      async submit(transfer) {
        await rails.provider_sandbox.submit(transfer)
        return { outcome: 'not-sent', why: 'unavailable', retryAfterMs: null, cause: 'connection refused' }
      },
    },
  })
  const submitted = await payoutActivities(deps).submitToRail(payout)
  expect(submitted).toMatchObject({ at: 'over', status: 'refused' })
  await setAttention(terminal.db, payout.payoutId, 'bank_contradicts_payment_submitted')
  const [transfer] = await transfersOf(payout)
  return { payout, transferRef: transfer?.id ?? '' }
}

async function move(transferRef: string, state: string): Promise<void> {
  const { status } = await bank.control('POST', `/transfers/${transferRef}/advance`, { state, last: true })
  expect(status).toBe(200)
}

/** The drifts of this payout's wallet only, because other tests leave transfers unbound. */
async function driftsOf({ payoutId }: PayoutRef): Promise<unknown[]> {
  await ops(['proof'])
  const sql = `SELECT kind, subject FROM drifts WHERE resolved_at IS NULL
    AND wallet_id = (SELECT wallet_id FROM payouts WHERE id = $1) ORDER BY kind`
  const rows: { kind: string; subject: string }[] = await terminal.db.dataSource.query(sql, [payoutId])
  return rows.map(({ kind, subject }) => [kind, subject])
}

async function keyOf({ payoutId }: PayoutRef): Promise<string> {
  const sql = 'SELECT idempotency_key AS key FROM payouts WHERE id = $1'
  const [row]: { key: string }[] = await terminal.db.dataSource.query(sql, [payoutId])
  return row?.key ?? ''
}

async function aSent(): Promise<PayoutRef> {
  const payout = await aClaim(terminal.db, { partnerId: partner.id })
  await steps().debitPayout(payout)
  expect(await steps().submitToRail(payout)).toMatchObject({ at: 'sent' })
  return payout
}
