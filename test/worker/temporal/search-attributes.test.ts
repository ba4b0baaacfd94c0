// The first worker that starts registers the search attributes. If Temporal refuses to register them, the worker
// checks them with queries. The worker rejects an attribute of the wrong type.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time'
import { environment } from '../../../runtime/config/config'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { createDatabase, type TestDatabase } from '../../support/db/database'
import { testSystem } from '../../support/jest/system'
import { startWithout } from '../../support/temporal/a-temporal-proxy'
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
  // A new namespace takes a moment to reach all parts of the server.
  for (;;) if (await isKnown()) break
})

afterAll(async () => {
  await client.connection.close()
  await database.drop()
})

test('many workers that start concurrently register the attributes, and registering again is not an error', async () => {
  const wanted = { SomeWord: 'KEYWORD', SomeNumber: 'INT' } as const

  await Promise.all(Array.from({ length: 5 }, () => requireSearchAttributes(client, wanted)))
  await requireSearchAttributes(client, wanted)

  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace })
  expect(customAttributes).toMatchObject({ SomeWord: 2, SomeNumber: 3 })
})

describe.each([
  ['PERMISSION_DENIED', 7],
  ['UNIMPLEMENTED', 12],
])('a server that answers %s to OperatorService', (_name, status) => {
  test('passes the check if queries find every attribute', async () => {
    await requireSearchAttributes(client, { SomeWord: 'KEYWORD', SomeNumber: 'INT' })

    const checked = await behind(status, (cloud) =>
      requireSearchAttributes(cloud, { SomeWord: 'KEYWORD', SomeNumber: 'INT' }),
    )

    expect(checked).toBe('queried')
  })

  test('fails the check if an attribute has the type Text instead of Keyword', async () => {
    const searchAttributes = { SomeText: 1 }
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
    await requireSearchAttributes(client, { SomeWord: 'KEYWORD' })

    const checking = behind(status, (cloud) =>
      requireSearchAttributes(cloud, { SomeWord: 'KEYWORD', SomeText: 'KEYWORD' }),
    )

    await expect(checking).rejects.toThrow(/another type: SomeText; create them with/)
  })

  test('fails the check with the commands that create the missing attributes', async () => {
    await requireSearchAttributes(client, { SomeWord: 'KEYWORD' })

    const checking = behind(status, (cloud) =>
      requireSearchAttributes(cloud, { SomeWord: 'INT', OtherWord: 'KEYWORD', OtherNumber: 'INT' }),
    )

    await expect(checking).rejects.toThrow(
      `another type: SomeWord, OtherWord, OtherNumber; create them with "temporal operator search-attribute create --namespace ${namespace} --name SomeWord --type Int --name OtherWord --type Keyword --name OtherNumber --type Int" or, on Temporal Cloud, "tcld namespace search-attributes add --namespace ${namespace} --search-attribute SomeWord=Int --search-attribute OtherWord=Keyword --search-attribute OtherNumber=Int", then start the worker again.`,
    )
  })
})

test('for a server that lists attributes but cannot add any, the error also contains the commands', async () => {
  await requireSearchAttributes(client, { SomeWord: 'KEYWORD' })

  const checking = behind(
    7,
    (cloud) => requireSearchAttributes(cloud, { SomeWord: 'KEYWORD', More: 'INT' }),
    /OperatorService.Add/,
  )

  await expect(checking).rejects.toThrow(/another type: More; create them with "temporal .+ --name More --type Int" or/)
})

test('a worker without OperatorService ends when attributes are missing, and works once the printed command has run', async () => {
  const cloud = await startWithout(/OperatorService/, 7)
  const missing = start(cloud.address)
  const missingEnd = await missing.ended
  await runTemporal(/"(temporal .+?)"/.exec(missing.errorOutput.join(''))?.[1] ?? '')

  const worker = start(cloud.address)
  await Promise.race([worker.ready, worker.ended])
  worker.child.kill('SIGTERM')

  expect(missingEnd).toBe(1)
  expect(missing.errorOutput).toEqual([
    expect.stringMatching(/lacks search attributes .+ --search-attribute PayoutId=/),
  ])
  expect(await worker.ended).toBe(0)
  expect(worker.messages).toEqual([
    'Temporal refuses OperatorService; queries found every search attribute',
    'working',
    'stopped',
  ])
  await cloud.close()
})

test('an attribute of the wrong type ends the worker with one error message', async () => {
  await client.connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: ['PayoutAmountPence'] })
  await requireSearchAttributes(client, { PayoutAmountPence: 'KEYWORD' })

  const worker = start(testSystem().temporalAddress)

  expect(await worker.ended).toBe(1)
  expect(worker.errorOutput).toEqual([
    expect.stringMatching(
      /^The Temporal namespace search-\w+ has .*: PayoutAmountPence \(should be INT\); .* again\.$/,
    ),
  ])
})

test('payouts are searchable by partner, environment, status, payout, amount, key and reason', () => {
  expect(wantedAttributes).toEqual({
    PayoutPartner: 'KEYWORD',
    PayoutEnvironment: 'KEYWORD',
    PayoutStatus: 'KEYWORD',
    PayoutId: 'KEYWORD',
    PayoutAmountPence: 'INT',
    PayoutKey: 'KEYWORD',
    PayoutReason: 'KEYWORD',
  })
})

function start(address: string) {
  return startWorkerProcess({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
  })
}

async function behind<T>(
  status: number,
  work: (cloud: Client) => Promise<T>,
  calls: RegExp = /OperatorService/,
): Promise<T> {
  const proxy = await startWithout(calls, status)
  const connection = await Connection.connect({ address: proxy.address })
  try {
    return await work(new Client({ connection, namespace }))
  } finally {
    await connection.close()
    await proxy.close()
  }
}

async function isKnown(): Promise<boolean> {
  return client.connection.operatorService.listSearchAttributes({ namespace }).then(
    () => true,
    () => false,
  )
}

/** Runs a `temporal` command line as an operator would paste it. */
async function runTemporal(commandLine: string): Promise<void> {
  const { temporalCli, temporalAddress } = testSystem()
  const env = { ...environment(), CLI: temporalCli, TEMPORAL_ADDRESS: temporalAddress }
  await promisify(execFile)('sh', ['-c', `temporal() { "$CLI" "$@"; }; ${commandLine}`], { env })
}
