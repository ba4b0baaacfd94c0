// Operator actions on a running system: drain a worker, pause the rail across restarts, and restart a payout's
// workflow. Nothing is paid twice.
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { sent, type World } from '../support/system/world'
import { until } from '../support/until'

export function onCall(open: () => World): void {
  let world: World

  beforeAll(() => {
    world = open()
  })
  afterEach(async () => {
    await world.bank.control('DELETE', '/faults')
    if (!world.worker.isRunning()) await world.worker.start()
    await world.judge()
  })

  test('a worker drained by SIGTERM finishes its running call to the bank, and the caller gets the outcome', async () => {
    const held = { kind: 'hang', stage: 'before', ms: 1_000, match: { method: 'POST', path: '/v0/transfers' } }
    const fault = await world.bank.fault(held)
    const answer = world.pay({}, { key: 'order-drained' })
    await until('the bank was called', async () => (await world.bank.counts(fault)).fired > 0)

    await world.worker.stop()

    const { status, body } = await answer
    expect([status, body.status]).toEqual([201, sent])
    expect(world.worker.output()).toContain('"msg":"stopped"')
    expect(await world.transfersOf(body.id)).toHaveLength(1)
    await world.worker.start()
    expect(await world.settled(body.id)).toMatchObject({ status: 'completed', attempt: 1 })
  })

  test('a payout on a paused rail gets 201 pending immediately, survives restarts, and is sent after rail resume', async () => {
    const before = await world.balance()
    await world.ops('rail', 'pause', '--environment', 'sandbox', '--reason', 'a story')

    const answers = await Promise.all(Array.from({ length: 5 }, () => world.pay({ amount_gbp: '7.00' })))
    const live = await world.pay({}, { environment: 'live' })
    await Promise.all([world.api.kill(), world.worker.kill()])
    await Promise.all([world.api.start(), world.worker.start()])
    const kept = await world.ops('rail', 'status')

    expect(answers.map(({ status, body }) => `${status} ${body.status}`)).toEqual(answers.map(() => '201 pending'))
    expect(await world.settled(live.body.id)).toMatchObject({ status: 'completed' })
    expect(kept.data[0]).toMatchObject({ environment: 'sandbox', state: 'paused', reason: 'a story', unsent: 5 })
    expect(await world.balance()).toBeLessThan(before)
    for (const { body } of answers) expect(await world.transfersOf(body.id)).toHaveLength(0)

    await world.ops('rail', 'resume', '--environment', 'sandbox')

    const rows = await world.allSettled(answers)
    expect(rows.map(({ status }) => status)).toEqual(answers.map(() => 'completed'))
    for (const { body } of answers) expect(await world.transfersOf(body.id)).toHaveLength(1)
  })

  test('payout explain reports a payout without a workflow, payout retry starts a new one, and the payout is paid once', async () => {
    const key = 'order-retried'
    await world.bank.fault({ kind: 'stuck', state: 'pending' })
    const { body } = await world.pay({}, { key })
    await world.reached(body.id, ({ transfer_ref }) => transfer_ref !== null)
    await world.worker.stop()
    await world.temporal.workflow.getHandle(world.workflowId(key)).terminate('a story')
    const lost = await world.ops('payout', 'explain', '--payout', body.id)

    const woken = await world.ops('payout', 'retry', '--payout', body.id)
    await world.bank.control('DELETE', '/faults')
    const [transfer] = await world.transfersOf(body.id)
    await world.bank.control('POST', `/transfers/${transfer?.id}/advance`, { state: 'payment_processed' })
    await world.worker.start()
    const settled = await world.settled(body.id)

    expect(lost.next[1]).toMatch(/^It has no running workflow \(TERMINATED\)/)
    expect(woken).toEqual({ id: body.id, workflow: 'started', rail: 'open' })
    expect(settled).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await world.transfersOf(body.id)).toHaveLength(1)
  })
}
