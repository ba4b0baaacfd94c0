// A worker connects to a Temporal server that requires a client certificate. Without one, the worker retries and
// logs the reason.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { connectClient } from '../../../runtime/temporal/client'
import { schedulesOf } from '../../../worker/schedules/schedules'
import { makeAuthority } from '../../support/certificates'
import { createDatabase, type TestDatabase } from '../../support/db/database'
import { startTlsServer, type TemporalProxy } from '../../support/temporal/a-temporal-proxy'
import { testConfig, testTemporal } from '../../support/temporal/a-worker'
import { startWorkerProcess, type WorkerProcess } from '../../support/temporal/a-worker-process'

const [servers, clients] = [makeAuthority('servers'), makeAuthority('clients')]
const TASK_QUEUE_PREFIX = `tls-${randomBytes(6).toString('hex')}`
const started: WorkerProcess[] = []

let database: TestDatabase
let server: TemporalProxy
let own = {}

beforeAll(async () => {
  database = await createDatabase()
  server = await startTlsServer(servers.issue('temporal.test'), clients)
  const { certificate, key } = clients.issue('worker.test')
  own = { TEMPORAL_TLS_CERT: certificate, TEMPORAL_TLS_KEY: key }
})

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
})

afterAll(async () => {
  const client = connectClient(testTemporal())
  for (const { scheduleId } of schedulesOf(testConfig({ TASK_QUEUE_PREFIX }))) {
    await client.schedule.getHandle(scheduleId).delete()
  }
  await client.connection.close()
  await server.close()
  await database.drop()
})

test('a worker with a certificate creates its schedules, works and stops', async () => {
  const worker = start(own)

  await worker.ready
  worker.child.kill('SIGTERM')

  expect(await worker.ended).toBe(0)
  expect(worker.messages).toEqual(['working', 'stopped'])
})

test('a worker without a certificate retries, and its log names the cause', async () => {
  const worker = start({})

  await worker.logs(
    /^Temporal at [\d.:]+ is not available yet; retrying: the server requires a client certificate, .+: check TEMPORAL_TLS_CERT/,
  )

  expect(worker.errorOutput).toEqual([])
})

function start(env: Record<string, string>): WorkerProcess {
  const worker = startWorkerProcess({
    DATABASE_URL: database.url,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
    TASK_QUEUE_PREFIX,
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_TLS: 'on',
    TEMPORAL_TLS_CA: servers.certificate,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    ...env,
  })
  started.push(worker)
  return worker
}
