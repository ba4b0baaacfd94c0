// Changed transfers are read as far back as a payment can be returned, and an unreadable row does not hide
// others.
import { expect, test } from '@jest/globals'
import type { ChangedTransfer } from '../../../../rail/rail'
import { aClock, aTransferJson, json, useScriptedBank } from '../../../support/bank/scripted'

const dayMs = 86_400_000
const bank = useScriptedBank()

/** One transfer per day, newest first, each changed a moment ago. */
function aYear(change: (day: number) => Record<string, unknown> = () => ({})) {
  return Array.from({ length: 365 }, (_, day) => {
    const created_at = new Date(aClock.now().getTime() - day * dayMs).toISOString()
    return aTransferJson({ id: `tr_${day}`, created_at, updated_at: aClock.now().toISOString(), ...change(day) })
  })
}

function serve(rows: readonly Record<string, unknown>[]): void {
  bank.answer(({ path }, response) => {
    const query = new URL(path, 'http://bank.test').searchParams
    const after = rows.findIndex(({ id }) => id === query.get('starting_after'))
    json(response, 200, { data: rows.slice(after + 1, after + 1 + Number(query.get('limit'))) })
  })
}

async function changes(since = new Date(0)): Promise<{ refs: string[]; unreadable: (string | null)[] }> {
  const refs: string[] = []
  const unreadable: (string | null)[] = []
  for await (const each of bank.rail.changedSince(since)) {
    if (each.outcome === 'read') refs.push(each.transfer.ref)
    else unreadable.push(each.payoutId)
  }
  return { refs, unreadable }
}

test('transfers are read as far back as a payment can be returned, but not the whole list', async () => {
  serve(aYear())

  const { refs, unreadable } = await changes()

  expect([refs.length, refs.at(-1), unreadable]).toEqual([92, 'tr_91', []])
  expect(bank.requests.length).toBeLessThanOrEqual(3)
})

test('unreadable transfers do not hide later ones, and are reported with their payout IDs', async () => {
  const named = { client_reference_id: 'payout-1' }
  const odd: Readonly<Record<number, Record<string, unknown>>> = {
    5: { ...named, source: { currency: 'doge', amount: '1.00' } },
    7: { ...named, source: { currency: 'usdc', amount: 'many' }, destination: { currency: 'gbp' } },
  }
  serve(aYear((day) => odd[day] ?? {}))

  const { refs, unreadable } = await changes()

  expect([refs.length, refs.includes('tr_5'), refs.at(-1)]).toEqual([90, false, 'tr_91'])
  expect(unreadable).toEqual([null, 'payout-1'])
})

test('unreadable transfers that have not changed in the period are not returned', async () => {
  serve(aYear(() => ({ source: { currency: 'doge', amount: '1.00' } })))

  expect(await changes(new Date(aClock.now().getTime() + 1))).toEqual({ refs: [], unreadable: [] })
})

test('transfers are streamed, so the first one is returned before all pages are read', async () => {
  serve(aYear((day) => ({ created_at: new Date(aClock.now().getTime() - day * 60_000).toISOString() })))

  const walk = bank.rail.changedSince(new Date(0))[Symbol.asyncIterator]()
  const first: IteratorResult<ChangedTransfer> = await walk.next()

  expect(first.value).toMatchObject({ transfer: { ref: 'tr_0' } })
  expect(bank.requests).toHaveLength(2)
  await walk.return?.()
})
