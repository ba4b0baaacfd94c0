// Search attributes: registered by the first worker that starts, and refused when they have another type.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { createDatabase, type TestDatabase } from '../../support/db/database'
import { testSystem } from '../../support/jest/system'
import { startWorkerProcess } from '../../support/temporal/a-worker-process'

const namespace = `search-${randomBytes(4).toString('hex')}`
let client: Client
let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
  const connection = await Connection.connect({ address: testSystem().temporalAddress })
  const retention = { workflowExecutionRetentionPeriod: msToTs('1 day') }
  await connection.workflowService.registerNamespace({ namespace, ...retention })
  client = new Client({ connection, namespace })
  // A new namespace is not known everywhere at once.
  for (;;) if (await isKnown()) break
})

afterAll(async () => {
  await client.connection.close()
  await database.drop()
})

test('many workers that start at once register them, and registering again is no error', async () => {
  const wanted = { SomeWord: 'KEYWORD', SomeNumber: 'INT' } as const

  await Promise.all(Array.from({ length: 5 }, () => requireSearchAttributes(client, wanted)))
  await requireSearchAttributes(client, wanted)

  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace })
  expect(customAttributes).toMatchObject({ SomeWord: 2, SomeNumber: 3 })
})

test('an attribute of another type ends the worker with one error message', async () => {
  await requireSearchAttributes(client, { PayoutAmountPence: 'KEYWORD' })

  const worker = startWorkerProcess({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
  })

  expect(await worker.ended).toBe(1)
  expect(worker.errorOutput).toEqual([
    expect.stringMatching(
      /^The Temporal namespace search-\w+ has .*: PayoutAmountPence \(should be INT\); .* again\.$/,
    ),
  ])
})

test('payouts are searchable by partner, environment, status, payout and amount', () => {
  expect(wantedAttributes).toEqual({
    PayoutPartner: 'KEYWORD',
    PayoutEnvironment: 'KEYWORD',
    PayoutStatus: 'KEYWORD',
    PayoutId: 'KEYWORD',
    PayoutAmountPence: 'INT',
  })
})

async function isKnown(): Promise<boolean> {
  return client.connection.operatorService.listSearchAttributes({ namespace }).then(
    () => true,
    () => false,
  )
}
