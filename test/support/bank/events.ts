// Events from the bank's journal, signed with the bank's key, for a story that delivers them itself.
import type { Environment } from '../../../domain/environment'
import { signatureHeader } from '../../../sandbox-bank/webhooks/events'
import { type Json, type TestBank, webhookKeyOf } from './client'

export interface SignedEvent {
  readonly id: string
  readonly event: Json
  readonly signature: string
}

/** Returns all events in the order in which they happened. */
export async function signedEvents(bank: TestBank, environment: Environment): Promise<SignedEvent[]> {
  const puts: [string, Json][] = []
  for (let after = 0; ; ) {
    const { data } = (await bank.control('GET', `/journal?after=${after}`)).json
    if (data.length === 0) break
    after = data.at(-1).seq
    puts.push(...data.flatMap((line: Json) => (line.environment === environment ? line.puts : [])))
  }
  const privateKey = webhookKeyOf(bank, environment)
  const events = puts.flatMap(([name, put]) => (name === 'events' ? [put] : []))
  return Promise.all(
    events.map(async ({ id, body }) => {
      const signature = await signatureHeader(body, Date.now(), privateKey)
      return { id, event: JSON.parse(body), signature }
    }),
  )
}

/** Returns each new event twice, plus random events up to `count`. The shuffled order is the same in every run. */
export function inAnyOrder<T>(fresh: readonly T[], heard: readonly T[], count: number): T[] {
  const random = numbers(20_261_115)
  const all = [...fresh, ...heard]
  const chosen = [...fresh, ...fresh]
  while (chosen.length < count) {
    const place = Math.floor(random() * all.length)
    chosen.push(...all.slice(place, place + 1))
  }
  return chosen
    .map((one) => ({ one, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one)
}

/** Generates numbers from 0 to 1. A linear congruential generator is good enough for shuffling. */
function numbers(seed: number): () => number {
  let last = seed
  return () => {
    last = (last * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return last / 4_294_967_296
  }
}
