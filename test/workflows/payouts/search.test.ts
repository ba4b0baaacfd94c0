// A payout in the Temporal Web UI: found by its status, partner and amount, with a summary.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { connectClient } from '../../../runtime/temporal/client'
import { payoutWorkflowId } from '../../../workflows/names'
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

test('a delivered, a refused and a released payout have different statuses', async () => {
  const payer = await world.aPayer()
  const badAccount = { recipient: { bank: { account_number: '12340000' } } }

  await world.pay(payer, {}, { key: 'delivered-1' })
  await world.pay(payer, badAccount, { key: 'undeliverable-1' })
  await world.bank.fault({ kind: 'status', status: 401, match: { path: '/v0/transfers', method: 'POST' } })
  await world.pay(payer, { amount_gbp: '77.00' }, { key: 'not-taken-1' })

  expect(await statusesOf(payer, 'delivered-1')).toMatchObject({ PayoutStatus: 'completed' })
  expect(await statusesOf(payer, 'undeliverable-1')).toMatchObject({ PayoutStatus: 'failed' })
  expect(await statusesOf(payer, 'not-taken-1')).toMatchObject({ PayoutStatus: 'refused', PayoutAmountPence: 7_700 })
})

/** Once the workflow has ended. */
async function statusesOf(payer: Payer, idempotencyKey: string): Promise<Record<string, unknown>> {
  const id = payoutWorkflowId({ environment: 'sandbox', partnerId: payer.id, idempotencyKey, attempt: 1 })
  const handle = temporal.workflow.getHandle(id)
  await until(`${idempotencyKey} has ended`, async () => (await handle.describe()).status.name === 'COMPLETED')
  const { typedSearchAttributes } = await handle.describe()
  return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))
}
