// Each path of a return and of the nightly scan of transfers runs once. Its history replays, and contains no
// personal data. RECORD_HISTORIES=1 records a new path, and never overwrites a recording.
import { beforeAll, expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { systemClock } from '../../../runtime/clock'
import type { changedTransfers } from '../../../workflows'
import { payoutReturnId } from '../../../workflows/names'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { accessTo, until } from '../../support/bank/client'
import { aReturn } from '../../support/stages/payout'
import { useWorker } from '../../support/temporal/a-worker'
import { type Paths, payloadsOf, replayed } from '../../support/temporal/replayed'

const world = usePayoutWorld({ payouts: { pollMs: [200] } })
const worker = useWorker(() => ({
  clock: systemClock,
  databaseUrl: world.api.databaseUrl,
  bank: accessTo(world.bank),
}))
let payer: Payer

/** The functions that run the paths, by the names of the recordings. */
const paths: Paths = {
  async 'payout-return/returned-then-refunded'() {
    const { id, move } = await aCompleted()
    await move('returned')
    await sendEvent(id)
    await until('it is returned', async () => (await statusOf(id)) === 'returned')
    await move('refunded')
    await sendEvent(id)
    return returnOf(id)
  },
  async 'payout-return/refunded-at-once'() {
    const { id, move } = await aCompleted()
    await move('returned')
    await move('refunded')
    await sendEvent(id)
    return returnOf(id)
  },
  async 'payout-return/nothing'() {
    const { id } = await aCompleted()
    await sendEvent(id)
    return returnOf(id)
  },
  'changed-transfers/looked': () =>
    worker.client.workflow.start<typeof changedTransfers>('changedTransfers', {
      workflowId: `changed-transfers-${worker.queuePrefix}`,
      taskQueue: worker.taskQueue,
      args: [],
    }),
}
const names = Object.keys(paths)

beforeAll(async () => {
  payer = await world.aPayer()
})

const fresh = replayed(paths, { endsAs: 'COMPLETED', existing: 'kept' })

test.each(names)('the history of %s contains no personal data and no account', (name) => {
  const text = payloadsOf(fresh.get(name))

  for (const canary of [/Ada/, /Lovelace/, /St James/, /["' ]\d{8}["'. ]/]) expect(text).not.toMatch(canary)
})

test('a return with nothing to do needs a single workflow task', () => {
  const { events } = JSON.parse(fresh.get('payout-return/nothing') ?? '')
  const tasks = events.filter(({ eventType }: { eventType: string }) => /WORKFLOW_TASK_SCHEDULED/.test(eventType))

  expect(tasks).toHaveLength(1)
})

async function aCompleted() {
  const id = String((await world.pay(payer, {}, { environment: 'live' })).body['id'])
  const [transfer] = await world.transfersOf(id)
  const move = (state: string) => world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state, last: true })
  await move('payment_processed')
  await until('it is completed', async () => (await statusOf(id)) === 'completed')
  return { id, move }
}

function sendEvent(payoutId: string): Promise<unknown> {
  return world.api.deps.workflows.signalReturn(aReturn(payoutId))
}

async function statusOf(id: string): Promise<unknown> {
  return (await world.api.get(`/v1/payouts/${id}`, { key: payer.keys.live })).body['status']
}

function returnOf(payoutId: string): WorkflowHandle {
  return world.temporal.workflow.getHandle(payoutReturnId(payoutId))
}
