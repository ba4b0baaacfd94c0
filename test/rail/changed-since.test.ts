// Which transfers have changed: a walk no further back than money can come, and one odd row hides no other.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RailUnavailable, type Transfer } from '../../rail/rail'
import { aClock, aTransferJson, json, type ScriptedBank, startScriptedBank } from './scripted-bank'

const dayMs = 86_400_000
let bank: ScriptedBank

beforeAll(async () => {
  bank = await startScriptedBank()
})
afterAll(() => bank.close())

/** One a day, newest first, each changed a moment ago. */
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

async function changes(): Promise<{ refs: string[]; error: unknown }> {
  const refs: string[] = []
  try {
    for await (const { ref } of bank.rail.changedSince(new Date(0))) refs.push(ref)
  } catch (error) {
    return { refs, error }
  }
  return { refs, error: null }
}

test('are read as far back as a payment may come back, and not the whole list', async () => {
  serve(aYear())

  const { refs, error } = await changes()

  expect([refs.length, refs.at(-1), error]).toEqual([92, 'tr_91', null])
  expect(bank.heard.length).toBeLessThanOrEqual(3)
})

test('are each told, also behind one that can not be read, which is trouble at the end', async () => {
  serve(aYear((day) => (day === 5 ? { source: { currency: 'doge', amount: '1.00' } } : {})))

  const { refs, error } = await changes()

  expect([refs.length, refs.includes('tr_5'), refs.at(-1)]).toEqual([91, false, 'tr_91'])
  expect(error).toBeInstanceOf(RailUnavailable)
})

test('are taken as they come: the first is told before the second page is asked for', async () => {
  serve(aYear((day) => ({ created_at: new Date(aClock.now().getTime() - day * 60_000).toISOString() })))

  const walk = bank.rail.changedSince(new Date(0))[Symbol.asyncIterator]()
  const first: IteratorResult<Transfer> = await walk.next()

  expect(first.value.ref).toBe('tr_0')
  expect(bank.heard).toHaveLength(2)
  await walk.return?.()
})
