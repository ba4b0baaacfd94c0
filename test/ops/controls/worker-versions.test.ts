// Worker deployment versions, with a real Temporal server: which build gets work, and which changes are refused.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connectClient } from '../../../runtime/temporal/client'
import { deploymentNameOf, findDeployment } from '../../../runtime/temporal/deployment'
import { testSystem } from '../../support/jest/system'
import { testTemporal } from '../../support/temporal/a-worker'
import { runWith, useTerminal } from '../../support/terminal'
import { until } from '../../support/until'

const terminal = useTerminal()
const client = connectClient(testTemporal())
// Contains a dot, which deploymentNameOf must replace, because Temporal rejects deployment names with dots.
const prefix = `test.${randomBytes(6).toString('hex')}`
const [older, newer] = ['1.0.0+aaaaaaaa', '1.1.0+bbbbbbbb']

beforeAll(async () => {
  for (const build of [older, newer]) {
    // The server records a build when one of its workers polls. The poll gets no task, so the test aborts it.
    const stop = new AbortController()
    const polling = client.withAbortSignal(stop.signal, () => poll(build)).catch(() => {})
    await until(`${build} is known`, async () => (await described())?.versions.some((each) => each.build === build))
    stop.abort()
    await polling
  }
})
afterAll(() => client.connection.close())

test('worker ramp --percent 0 ends only the ramp of the named build', async () => {
  await worker('promote', older)

  const before = await worker('ramp', newer, '--percent', '0')
  const ramped = await worker('ramp', newer, '--percent', '25')
  const other = await worker('ramp', older, '--percent', '0')
  const during = (await described())?.ramping
  const ended = await worker('ramp', newer, '--percent', '0')

  expect([before.code, before.err]).toEqual([2, `Build ${newer} is not ramping: no build is ramping.\n`])
  expect([ramped.code, ramped.out]).toEqual([0, `Build ${newer} gets 25 % of the work.\n`])
  expect([other.code, other.err]).toEqual([2, `Build ${older} is not ramping: build ${newer} is.\n`])
  expect(during).toEqual({ build: newer, percent: 25 })
  expect([ended.code, (await described())?.ramping]).toEqual([0, null])
})

test('each prefix has its own deployment, and a prefix without a dot is used unchanged', () => {
  const prefixes = ['payouts', 'a-b', 'a_b', 'a.b', 'a.b.c', 'a-b.c', 'a.b-c', 'a..b', 'A-b']

  const names = prefixes.map(deploymentNameOf)

  expect(new Set(names).size).toBe(prefixes.length)
  expect(names.join('')).not.toContain('.')
  const undotted = prefixes.filter((each) => !each.includes('.'))
  expect(undotted.map(deploymentNameOf)).toEqual(undotted)
})

function worker(...argv: string[]) {
  const here = { TEMPORAL_ADDRESS: testSystem().temporalAddress, TASK_QUEUE_PREFIX: prefix }
  return runWith({ ...terminal.env, ...here }, ['worker', ...argv])
}

function described() {
  return findDeployment(client, deploymentNameOf(prefix))
}

function poll(buildId: string): Promise<unknown> {
  const { namespace } = client.options
  return client.workflowService.pollWorkflowTaskQueue({
    namespace,
    taskQueue: { name: `${prefix}-live` },
    identity: 'a test',
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- 2 is VERSIONED, in a package that we do not use.
    deploymentOptions: { deploymentName: deploymentNameOf(prefix), buildId, workerVersioningMode: 2 },
  })
}
