// A sign-up runs once. Its history replays, and contains no personal data. RECORD_HISTORIES=1 records the
// histories again. Use it only after a change that does not affect running workflows.
import { beforeAll, expect, test } from '@jest/globals'
import { openKeyring } from '../../../db/keyring'
import { issueCode } from '../../../db/sign-in/codes'
import { systemClock } from '../../../runtime/clock'
import type { signUp } from '../../../workflows'
import { signUpId } from '../../../workflows/names'
import { testConfig, useWorker } from '../../support/temporal/a-worker'
import { payloadsOf, replayed } from '../../support/temporal/replayed'

const worker = useWorker({ clock: systemClock })
let codeId: string

beforeAll(async () => {
  codeId = await aSignUp()
})

const fresh = replayed({
  async 'sign-up/opened'() {
    await open()
    return worker.client.workflow.getHandle(signUpId(codeId))
  },
})

test('a second run of the same sign-up returns the same partner and opens no other', async () => {
  const [first, second] = [await open(), await open()]

  const [{ count }] = await worker.db.dataSource.query('SELECT count(*)::int AS count FROM partners')
  expect([second, count]).toEqual([first, 1])
})

test('the history of a sign-up contains no personal data', () => {
  const text = payloadsOf(fresh.get('sign-up/opened'))

  expect(text).toContain(codeId)
  expect(text).not.toMatch(/Acme|ada@/)
})

async function aSignUp(): Promise<string> {
  const keyring = openKeyring(testConfig().secretKeys)
  const details = { businessName: 'Acme Ltd' }
  const wanted = {
    purpose: 'sign_up',
    subject: 'ada@acme.test',
    said: details,
    perHour: 5,
    boundTo: Buffer.alloc(32),
    at: systemClock.now(),
  } as const
  const issued = await worker.db.transaction((tx) => issueCode(tx, keyring, wanted))
  if (issued.outcome !== 'issued') throw new Error(issued.outcome)
  return issued.id
}

function open(): Promise<string> {
  return worker.client.workflow.execute<typeof signUp>('signUp', {
    workflowId: signUpId(codeId),
    taskQueue: worker.taskQueue,
    args: [{ codeId }],
  })
}
