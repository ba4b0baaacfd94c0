// Operators can find a payout in the Temporal Web UI by its status, key, reason, partner and amount. Summaries and
// a status query describe its progress.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Client, WorkflowHandle } from '@temporalio/client'
import { findPayoutsOfTransfers } from '../../../db/payouts/by-transfer'
import { connectClient } from '../../../runtime/temporal/client'
import { payoutWorkflowId, statusQuery } from '../../../workflows/names'
import type { PayoutReport } from '../../../workflows/payouts/payout'
import { aPayoutWorld, type Payer, type PayoutWorld } from '../../support/api/payout-world'
import { quick } from '../../support/bank/client'
import { silenceTemporal, testTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

let world: PayoutWorld
let temporal: Client

silenceTemporal()

beforeAll(async () => {
  world = await aPayoutWorld({ bank: { delaysMs: quick } })
  temporal = connectClient(testTemporal())
})

afterAll(async () => {
  await temporal.connection.close()
  await world.close()
})

test('delivered, refused and released payouts have different statuses, reasons and results, and each has its key', async () => {
  const payer = await world.aPayer()
  const badAccount = { recipient: { bank: { account_number: '12340000' } } }

  await world.pay(payer, {}, { key: 'delivered-1' })
  await world.pay(payer, badAccount, { key: 'undeliverable-1' })
  await world.bank.fault({ kind: 'status', status: 401, match: { path: '/v0/transfers', method: 'POST' } })
  await world.pay(payer, { amount_gbp: '77.00' }, { key: 'not-taken-1' })

  const [delivered, undeliverable, notTaken] = await Promise.all(
    ['delivered-1', 'undeliverable-1', 'not-taken-1'].map((key) => ended(payer, key)),
  )
  expect(delivered).toMatchObject({ PayoutStatus: 'completed', PayoutKey: 'delivered-1', PayoutAmountPence: 12_000 })
  expect(delivered).not.toHaveProperty('PayoutReason')
  expect(delivered?.result).toEqual({ status: 'completed', reason: null })
  const reason = 'invalid_account'
  expect(undeliverable).toMatchObject({ PayoutStatus: 'failed', PayoutReason: reason, PayoutKey: 'undeliverable-1' })
  expect(undeliverable?.result).toEqual({ status: 'failed', reason })
  expect(notTaken).toMatchObject({ PayoutStatus: 'refused', PayoutAmountPence: 7_700, PayoutKey: 'not-taken-1' })
  expect(notTaken?.result).toEqual({ status: 'refused', reason: 'payout_not_created' })
})

test('a payout and its return are found by the same key', async () => {
  const payer = await world.aPayer()
  const { body } = await world.pay(payer, {}, { key: 'came-back-1' })
  await ended(payer, 'came-back-1')
  const [payout] = await findPayoutsOfTransfers(world.api.db, 'sandbox', [String(body['id'])])
  if (payout === undefined) throw new Error('the payout has no transfer')

  await world.api.deps.workflows.signalReturn(payout)

  const found = await until('both are found', async () => {
    const types: string[] = []
    for await (const { type } of temporal.workflow.list({ query: "PayoutKey = 'came-back-1'" })) types.push(type)
    return types.length < 2 ? null : types
  })
  expect(new Set(found)).toEqual(new Set(['payout', 'payoutReturn']))
})

test('the summaries of a payout’s steps and timers name the debit and the charge', async () => {
  const payer = await world.aPayer()
  await world.pay(payer, {}, { key: 'summaries-1' })
  await ended(payer, 'summaries-1')

  const { events } = await handleOf(payer, 'summaries-1').fetchHistory()
  const summaries = (events ?? []).flatMap(({ userMetadata }) => {
    const data = userMetadata?.summary?.data
    return data ? [JSON.parse(Buffer.from(data).toString())] : []
  })

  expect(summaries).toEqual(expect.arrayContaining(['debit 153.30 USDC', 'submit', 'poll 1']))
  expect(summaries).toContainEqual(expect.stringMatching(/^the bank to deliver it; next poll in \d+ /))
  expect(summaries).toContainEqual('completed, to be charged: nothing in the sandbox')
})

test('for an unknown outcome, the status query names the awaited event and the next poll, and the attributes have the key', async () => {
  const payer = await world.aPayer()
  // The bank never gets the transfer, so the outcome stays unknown for as long as the test needs to read it.
  await world.bank.fault({ kind: 'reset', times: null, match: { path: '/v0/transfers', method: 'POST' } })
  const { body } = await world.pay(payer, {}, { key: 'unknown-1' })

  const handle = handleOf(payer, 'unknown-1')
  const report = await until('it waits', async () => {
    const answer = await handle.query<PayoutReport>(statusQuery)
    return answer.nextPollAt === null ? null : answer
  })
  const attributes = await attributesOf(payer, 'unknown-1')
  await world.bank.control('DELETE', '/faults')

  expect(report).toMatchObject({ payoutId: body.id, attempt: 1, status: 'pending', reason: null, transferRef: null })
  expect(report.waitsFor).toBe('confirmation of whether the bank has the transfer')
  expect(Date.parse(report.nextPollAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
  expect(attributes).toMatchObject({ PayoutKey: 'unknown-1', PayoutStatus: 'pending' })
})

function handleOf(payer: Payer, idempotencyKey: string): WorkflowHandle {
  const key = { environment: 'sandbox', partnerId: payer.id, idempotencyKey, attempt: 1 } as const
  return temporal.workflow.getHandle(payoutWorkflowId(key))
}

async function attributesOf(payer: Payer, idempotencyKey: string): Promise<Record<string, unknown>> {
  const { typedSearchAttributes } = await handleOf(payer, idempotencyKey).describe()
  return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))
}

/** The search attributes and the result of a workflow, once it has ended. */
async function ended(payer: Payer, idempotencyKey: string): Promise<Record<string, unknown>> {
  const result: unknown = await handleOf(payer, idempotencyKey).result()
  return { ...(await attributesOf(payer, idempotencyKey)), result }
}
