// Every failed call to the bank is recorded with its cause: in the database, in the step's result and in the log.
import { beforeEach, expect, test } from '@jest/globals'
import { listFailedCalls } from '../../../db/payouts/events'
import { markOverdue } from '../../../db/payouts/open'
import { markAnswered } from '../../../db/payouts/steps'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'
import { aClaim, movableClock, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const toTransfers = { method: 'POST', path: '/v0/transfers' }
const toAccounts = { method: 'POST', path: '/v0/customers/*/external_accounts' }

const db = useDatabase()
const clock = movableClock()
const { bank, rails, partner } = usePayer(db, { clock })
const lines: string[] = []
const log = keptLog({ level: 'warn', write: (line) => void lines.push(line) })
const { limits } = stepDeps(db, rails)
const steps = payoutActivities(stepDeps(db, rails, { clock, log, limits: { ...limits, listLagMs: 60_000 } }))

beforeEach(() => {
  lines.length = 0
})

test('a transfer call that gets HTTP 500 is counted and logged each time', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'status', status: 500, times: null, match: toTransfers })

  const first = await steps.submitToRail(payout)
  const repeated = [await steps.resolveSubmit(payout), await steps.resolveSubmit(payout)]

  expect([first, ...repeated]).toEqual(
    [first, ...repeated].map(() => expect.objectContaining({ at: 'unknown', bank: 'HTTP 500' })),
  )
  const [failed, ...others] = await listFailedCalls(db, payout.payoutId)
  expect(failed).toMatchObject({ attempt: 1, operation: 'submit_transfer', cause: 'HTTP 500', failures: 3 })
  expect(failed?.lastAt.getTime()).toBeGreaterThan(failed?.firstAt.getTime() ?? Infinity)
  expect(others).toEqual([])
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    Array.from({ length: 3 }, () =>
      expect.objectContaining({
        level: 'warn',
        msg: 'call to the bank failed',
        payout_id: payout.payoutId,
        environment: 'sandbox',
        operation: 'submit_transfer',
        cause: 'HTTP 500',
      }),
    ),
  )
})

test('a failed call that cannot be recorded is logged, and the outcome stays the same', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'status', status: 500, times: null, match: toTransfers })
  await db.dataSource.query('ALTER TABLE failed_bank_calls RENAME TO failed_bank_calls_elsewhere')

  const step = await steps.submitToRail(payout)
  await db.dataSource.query('ALTER TABLE failed_bank_calls_elsewhere RENAME TO failed_bank_calls')

  expect(step).toMatchObject({ at: 'unknown', bank: 'HTTP 500' })
  expect(lines.map((line) => JSON.parse(line).msg)).toContain('cannot record a failed call to the bank')
})

test('each cause has its own row, and a successful call adds no row', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'before', times: 1, match: toTransfers })
  await steps.submitToRail(payout)
  await bank.fault({ kind: 'status', status: 503, times: 1, match: toTransfers })
  await steps.resolveSubmit(payout)

  expect(await steps.resolveSubmit(payout)).toEqual(expect.not.objectContaining({ bank: expect.anything() }))
  await bank.fault({ kind: 'status', status: 502, times: 1, match: { method: 'GET', path: '/v0/transfers/*' } })
  expect(await steps.settle(payout)).toMatchObject({ at: 'sent', bank: 'HTTP 502 external_dependency_failed' })
  expect(await steps.settle(payout)).toEqual(expect.not.objectContaining({ bank: expect.anything() }))

  expect(await causesOf(payout)).toEqual([
    'submit_transfer: connection reset',
    'submit_transfer: HTTP 503 external_dependency_failed',
    'read_transfer: HTTP 502 external_dependency_failed',
  ])
})

test('a failed lookup is recorded like a failed transfer', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  await steps.submitToRail(payout)
  clock.forward(60_050)
  await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET', path: '*/transfers' } })

  expect(await steps.resolveSubmit(payout)).toMatchObject({
    at: 'unknown',
    bank: 'HTTP 503 external_dependency_failed',
  })
  expect(await causesOf(payout)).toContain('list_transfers: HTTP 503 external_dependency_failed')
})

test('the cause of a refusal is recorded without personal details from the bank’s response', async () => {
  const payout = await aDebited()
  await bank.fault({ kind: 'status', status: 401, match: toTransfers })

  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'over', bank: expect.stringMatching(/^HTTP 401\b/) })
  expect(await causesOf(payout)).toEqual([expect.stringMatching(/^submit_transfer: HTTP 401( \w+)?$/)])
})

test.each([
  ['a transfer', toTransfers],
  ['the registration of a recipient', toAccounts],
])('a 401 response to %s raises bank_misconfigured, even if the payout is acknowledged', async (_, match) => {
  const [refused, waiting] = [await aDebited(), await aDebited()]
  await markAnswered(db, { ...waiting, at: clock.now() })
  await bank.fault({ kind: 'status', status: 401, times: null, match })

  expect(await steps.submitToRail(refused)).toMatchObject({ at: 'over', status: 'refused' })
  expect(await steps.submitToRail(waiting)).toMatchObject({ at: 'unsent', bank: expect.stringMatching(/^HTTP 401\b/) })
  expect([await attentionOf(refused), await attentionOf(waiting)]).toEqual(['bank_misconfigured', 'bank_misconfigured'])
})

test.each([
  ['a transfer', toTransfers, 'unknown'],
  ['the registration of a recipient', toAccounts, 'unsent'],
])('a payout that waits because of HTTP 500 responses to %s is reported as overdue', async (_, match, at) => {
  const payout = await aDebited()
  await markAnswered(db, { ...payout, at: clock.now() })
  await bank.fault({ kind: 'status', status: 500, times: null, match })

  expect(await steps.submitToRail(payout)).toMatchObject({ at, bank: 'HTTP 500' })
  const soon = new Date(clock.now().getTime() + 1_000)
  await markOverdue(db, { sentBefore: soon, unknownBefore: soon, limit: 100 })

  expect(await attentionOf(payout)).toBe('outcome_overdue')
})

async function aDebited(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id })
  await steps.debitPayout(payout)
  return payout
}

async function causesOf({ payoutId }: PayoutRef): Promise<string[]> {
  return (await listFailedCalls(db, payoutId)).map(({ operation, cause }) => `${operation}: ${cause}`)
}

async function attentionOf({ payoutId }: PayoutRef): Promise<string | null> {
  const [row] = await db.dataSource.query('SELECT attention FROM payouts WHERE id = $1', [payoutId])
  return row.attention
}
