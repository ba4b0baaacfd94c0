// Many concurrent clients. Each retries with the same key until its payout is accepted.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../until'
import type { Answer, World } from './world'

export interface Load {
  /** The statuses that made a client retry. */
  readonly refusals: readonly number[]
  /** Resolves when a few clients have been answered. */
  some(): Promise<unknown>
  done(): Promise<Answer[]>
}

/** Starts this many clients, each with one payout. */
export function underLoad(world: World, clients: number): Load {
  let answered = 0
  const refusals: number[] = []
  const asked = Array.from({ length: clients }, async () => {
    const answer = await payAtLast(world, refusals)
    answered += 1
    return answer
  })
  return { refusals, some: () => until('some are answered', () => answered > 2), done: () => Promise.all(asked) }
}

async function payAtLast(world: World, refusals: number[]): Promise<Answer> {
  const key = `order-${randomUUID()}`
  for (;;) {
    const answer = await world.pay({ amount_gbp: '2.00' }, { key }).catch(() => null)
    if (answer !== null && answer.status < 300) return answer
    if (answer !== null) refusals.push(answer.status)
    await pause(100)
  }
}
