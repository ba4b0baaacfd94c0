// The rail reads the bank's lists correctly even if they shift, end early or omit rows.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { ProviderRail } from '../../../rail/provider'
import { ListTooLong, RailUnavailable, type Transfer } from '../../../rail/rail'
import { aConnectedPartner, anOrder, type Partner, pay, railTo } from '../../support/bank/a-connected-partner'
import { still, useSandboxBank } from '../../support/bank/client'
import { json, startScriptedBank } from '../../support/bank/scripted'

const many = 230
const since = new Date(0)

const bank = useSandboxBank({ delaysMs: still, fsync: 'off', floatMicro: 10n ** 12n })
let rail: ProviderRail
let partner: Partner
let oldest: Transfer
let middle: Transfer

beforeAll(async () => {
  rail = railTo(bank.url)
  partner = await aConnectedPartner(rail)
  const made: Transfer[] = []
  for (let count = 0; count < many; count += 1) made.push(await pay(rail, anOrder(partner)))
  ;[oldest, middle] = [made[0]!, made[120]!]
})
afterEach(() => bank.control('DELETE', '/faults'))
afterAll(() => rail.close())

describe('a transfer is found', () => {
  test('on the last page', async () => {
    expect(await find(oldest)).toMatchObject({ outcome: 'found', transfer: { ref: oldest.ref } })
  })

  test.each([1, 7, -1, -7])('even if each page is shifted by %i', async (by) => {
    await bank.fault({ kind: 'list_shift', by })

    expect(await find(oldest)).toMatchObject({ outcome: 'found' })
    expect(await find(middle)).toMatchObject({ outcome: 'found' })
  })

  test('even if the list omits it, because its withdrawal is in the wallet’s history', async () => {
    await bank.fault({ kind: 'list_omit', match: { transfer_id: middle.ref } })

    expect(await find(middle)).toMatchObject({ outcome: 'found', transfer: { ref: middle.ref } })
  })

  test('even if the list ended early the first time', async () => {
    await bank.fault({ kind: 'list_short', times: 2 })

    expect(await find(oldest)).toMatchObject({ outcome: 'found' })
  })

  test('even if the list is always empty, because its withdrawal is in the wallet’s history', async () => {
    await bank.fault({ kind: 'list_short', times: null, match: { path: '*/transfers' } })
    const order = { ...partner, payoutId: middle.payoutId ?? '', since }

    expect(await rail.findTransfer(order)).toMatchObject({ outcome: 'found' })
  })
})

describe('a transfer that never existed', () => {
  test('is absent', async () => {
    expect(await findNone()).toEqual({ outcome: 'absent' })
  })

  test.each([1, -1])('is absent even if each page is shifted by %i, because the pages still overlap', async (by) => {
    await bank.fault({ kind: 'list_shift', by })

    expect(await findNone()).toEqual({ outcome: 'absent' })
  })

  test.each([25, 120])(
    'does not count as absent when pages shift by %i, which is more than they overlap',
    async (by) => {
      await bank.fault({ kind: 'list_shift', by })

      expect(await findNone()).toEqual({ outcome: 'incomplete' })
    },
  )

  test('is absent only after two reads agree', async () => {
    const short = await bank.fault({ kind: 'list_short', times: 1 })

    expect(await findNone()).toEqual({ outcome: 'absent' })
    expect(await bank.counts(short)).toEqual({ fired: 1, remaining: 0 })
  })

  test('does not count as absent while the history is incomplete', async () => {
    await bank.fault({ kind: 'list_shift', by: 50, match: { path: '*/history' } })

    expect(await findNone()).toEqual({ outcome: 'incomplete' })
  })

  test('is absent while other transfers are being created', async () => {
    const [found] = await Promise.all([findNone(), pay(rail, anOrder(partner)), pay(rail, anOrder(partner))])

    expect(found).toEqual({ outcome: 'absent' })
  })

  test('is not searched for among rows older than its earliest possible creation', async () => {
    const asked = await bank.fault({ kind: 'list_shift', by: 0, match: { path: '*/transfers' } })

    await rail.findTransfer({ ...partner, payoutId: randomUUID(), since: new Date(Date.now() + 7_200_000) })

    expect(await bank.counts(asked)).toMatchObject({ fired: 0 })
  })
})

describe('a wallet’s history', () => {
  test('is read completely, each movement once', async () => {
    const movements = await rail.walletHistory({ ...partner, after: null })

    expect(movements.length).toBeGreaterThan(many)
    expect(new Set(movements.map(({ id }) => id)).size).toBe(movements.length)
    expect(movements[0]).toMatchObject({ kind: 'deposit', transferRef: null })
  })

  test.each([1, -1])('is read completely even if each page is shifted by %i', async (by) => {
    const whole = await rail.walletHistory({ ...partner, after: null })
    await bank.fault({ kind: 'list_shift', by })

    expect(await rail.walletHistory({ ...partner, after: null })).toEqual(whole)
  })

  test('is reported as too long, not as shifted, when it is too long to read', async () => {
    const scripted = await startScriptedBank()
    let next = 0
    // Each page begins with the 20 rows that ended the previous one, as in a list that does not change.
    scripted.answer((_, response) => {
      const first = next === 0 ? 0 : next - 20
      next = first + 100
      json(response, 200, { data: Array.from({ length: 100 }, (__, row) => ({ id: `row-${first + row}` })) })
    })

    const reading = scripted.rail.walletHistory({ ...partner, after: null })

    await expect(reading).rejects.toThrow(ListTooLong)
    expect(scripted.requests).toHaveLength(2_000)
    await scripted.close()
  })

  test('is an error if it has a gap', async () => {
    await bank.fault({ kind: 'list_shift', by: 30 })

    await expect(rail.walletHistory({ ...partner, after: null })).rejects.toThrow(RailUnavailable)
  })
})

describe('a refund', () => {
  const asked = { match: { path: '*/history' }, kind: 'list_shift', by: 0 }
  const findRefund = (movement: { transferRef: string; since: Date }) => rail.findRefund({ ...partner, ...movement })

  test('is found on the first page if it is recent, and nothing else is read', async () => {
    const refunded = await pay(rail, anOrder(partner))
    await bank.control('POST', `/transfers/${refunded.ref}/advance`, { state: 'refunded', last: true })
    const more = await bank.fault(asked)

    expect(await findRefund({ transferRef: refunded.ref, since })).toMatchObject({
      amountMicroUsdc: refunded.sentMicroUsdc,
    })
    expect(await bank.counts(more)).toMatchObject({ fired: 0 })
  })

  test('is not searched for among rows older than its transfer', async () => {
    const more = await bank.fault(asked)
    const inTwoHours = new Date(Date.now() + 7_200_000)

    expect(await findRefund({ transferRef: middle.ref, since: inTwoHours })).toBeNull()
    expect(await bank.counts(more)).toMatchObject({ fired: 0 })
    expect(await findRefund({ transferRef: middle.ref, since })).toBeNull()
    expect((await bank.counts(more)).fired).toBeGreaterThan(1)
  })

  test('is not reported as missing if the history has a gap, because the lookup fails', async () => {
    await bank.fault({ kind: 'list_shift', by: 30 })

    await expect(findRefund({ transferRef: middle.ref, since })).rejects.toThrow(RailUnavailable)
  })
})

describe('changed transfers', () => {
  test('are all returned when they exceed a page', async () => {
    const refs = (await changesSince(since)).map(({ ref }) => ref)

    expect(new Set(refs).size).toBeGreaterThanOrEqual(many)
    expect(refs).toContain(oldest.ref)
  })

  test('are returned from the given time on', async () => {
    const changed = await changesSince(middle.updatedAt)

    expect(changed.length).toBeGreaterThan(100)
    expect(changed.map(({ ref }) => ref)).toContain(middle.ref)
    expect(changed.filter(({ updatedAt }) => updatedAt < middle.updatedAt)).toEqual([])
  })
})

async function changesSince(at: Date): Promise<Transfer[]> {
  const changed: Transfer[] = []
  for await (const each of rail.changedSince(at)) if (each.outcome === 'read') changed.push(each.transfer)
  return changed
}

function find({ payoutId }: Transfer) {
  return rail.findTransfer({ ...partner, payoutId: payoutId ?? '', since })
}

function findNone() {
  return rail.findTransfer({ ...partner, payoutId: randomUUID(), since })
}
