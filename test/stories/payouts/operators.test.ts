// An operator terminates, cancels, resets or deletes a payout's workflow with Temporal's own tools. No money is
// lost, and nothing is paid twice.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Json } from '../../support/bank/client'
import { anAccountNumber } from '../../support/stages/payout'
import { openWorld, type World } from '../../support/system/world'
import { until } from '../../support/until'

let world: World
let forgotten: string

beforeAll(async () => {
  world = await openWorld({ env: { PAYOUT_CALL_MS: '1500', PAYOUT_ANSWER_MS: '2000' } })
  // The last test in this file needs a deleted workflow, and the server takes twenty seconds to delete one.
  forgotten = (await world.pay({}, { key: 'order-forgotten' })).body.id
  await ended('order-forgotten')
  await forget('order-forgotten')
})
afterEach(async () => {
  await world.bank.control('DELETE', '/faults')
  if (!world.worker.isRunning()) await world.worker.start()
  await world.judge()
})
afterAll(() => world.close())

/** Faults that hold a payout at a step: during a call to the bank, or while its transfer does not move. */
const steps: readonly [string, Json][] = [
  ['after the debit', { kind: 'hang', stage: 'before', ms: 800, match: { method: 'POST', path: '/v0/customers*' } }],
  ['while it is sent', { kind: 'hang', stage: 'before', ms: 800, match: { method: 'POST', path: '/v0/transfers' } }],
  [
    'when the bank has stored it',
    { kind: 'hang', stage: 'after', ms: 800, match: { method: 'POST', path: '/v0/transfers' } },
  ],
  ['while it waits for the bank', { kind: 'stuck', state: 'pending' }],
]

describe.each(steps)('a payout, %s', (_, fault) => {
  test('is resumed from its row after its workflow was terminated, and is paid once', async () => {
    const { key, answer } = await caught(fault)

    await handle(key).terminate('a story')
    await answer
    await freeTheBank()
    await world.sweep()

    expect(await ending(key)).toEqual(paidOnce)
  })

  test('is paid once although its workflow is cancelled, and the caller gets the result', async () => {
    const { key, answer } = await caught(fault)

    await handle(key).cancel()
    const { status } = await answer
    await freeTheBank()

    expect(status).toBe(201)
    expect(await ending(key)).toEqual(paidOnce)
    await ended(key)
  })

  test('is paid once if its workflow is reset to its beginning, because the new run continues the work', async () => {
    const { key, answer } = await caught(fault)
    await answer

    await reset(key)
    await freeTheBank()

    expect(await ending(key)).toEqual(paidOnce)
  })
})

test('a workflow that is cancelled before anything was sent sends nothing, refunds the money and keeps the key reserved', async () => {
  const key = 'order-cancelled'
  const before = await world.balance()
  await world.worker.stop()
  const first = await world.pay({}, { key })

  await handle(key).cancel()
  await world.worker.start()

  const row = await world.settled(first.body.id)
  expect(row).toMatchObject({ status: 'cancelled', failure_reason: null })
  expect(await world.transfersOf(row.id)).toEqual([])
  expect(await world.balance()).toBe(before)
  expect((await world.pay({}, { key })).body).toMatchObject({ id: row.id, status: 'cancelled' })
})

test('resetting a completed workflow does not pay again', async () => {
  const { body } = await world.pay({}, { key: 'order-reset-late' })
  await world.settled(body.id)
  await ended('order-reset-late')

  await reset('order-reset-late')

  await ended('order-reset-late')
  expect(await world.transfersOf(body.id)).toHaveLength(1)
})

test('a payout whose workflow is deleted while it waits for the bank is resumed from the row by the sweep', async () => {
  const { key, answer } = await caught({ kind: 'stuck', state: 'pending' })
  await answer
  await forget(key)
  await gone(key)
  await freeTheBank()

  await world.sweep()

  expect(await ending(key)).toEqual(paidOnce)
})

test('a retry is answered from the database after the payout’s workflow was deleted', async () => {
  await gone('order-forgotten')

  const again = await world.pay({}, { key: 'order-forgotten' })

  expect([again.status, again.body.id, again.body.status]).toEqual([200, forgotten, 'completed'])
  expect(await world.transfersOf(forgotten)).toHaveLength(1)
})

/** Requests a payout, and waits until the fault holds it. */
async function caught(fault: Json): Promise<{ key: string; answer: Promise<Json> }> {
  const key = `order-${randomUUID()}`
  const id = await world.bank.fault(fault)
  // Uses a new account, because a worker does not register a known one again.
  const accountNumber = anAccountNumber()
  const answer = world.pay({ accountNumber }, { key })
  await until('the fault has been triggered', async () => (await world.bank.counts(id)).fired > 0)
  return { key, answer }
}

/** Releases a stuck transfer at the bank. A hanging call needs no release. */
async function freeTheBank(): Promise<void> {
  const { json } = await world.bank.control('GET', '/transfers')
  for (const { id, state, next } of json.data) {
    if (state === 'pending' && next === null) {
      await world.bank.control('POST', `/transfers/${id}/advance`, { state: 'payment_processed' })
    }
  }
}

/** The final status of the payout, its attempt, and the number of transfers at the bank. */
async function ending(key: string): Promise<unknown> {
  const { id } = await world.claimed(key)
  const { status, attempt } = await world.settled(id)
  return { status, attempt, transfers: (await world.transfersOf(id)).length }
}

const paidOnce = { status: 'completed', attempt: 1, transfers: 1 }

function handle(key: string) {
  return world.temporal.workflow.getHandle(world.workflowId(key))
}

async function reset(key: string): Promise<void> {
  const first = await until('the first workflow task is completed', async () => {
    const { events } = await handle(key).fetchHistory()
    return events?.find((event) => event.workflowTaskCompletedEventAttributes)
  })
  const { runId } = await handle(key).describe()
  await world.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: world.workflowId(key), runId },
    workflowTaskFinishEventId: first.eventId ?? null,
    requestId: randomUUID(),
    reason: 'a story',
  })
}

async function forget(key: string): Promise<void> {
  const workflowExecution = { workflowId: world.workflowId(key) }
  await world.temporal.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution })
}

async function gone(key: string): Promise<void> {
  await until('the history is gone', () =>
    handle(key)
      .describe()
      .then(
        () => false,
        () => true,
      ),
  )
}

async function ended(key: string): Promise<void> {
  await until('it has ended', async () => {
    const { status } = await handle(key)
      .describe()
      .catch(() => ({ status: { name: 'ABSENT' } }))
    return status.name === 'COMPLETED'
  })
}
