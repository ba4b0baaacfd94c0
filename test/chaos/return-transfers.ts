// Makes the bank return paid transfers. In reality this happens days later, so any paid transfer may be returned.

import type { Json } from '../support/bank/client'
import type { World } from '../support/system/world'
import { until } from '../support/until'

export interface TakeBack {
  /** Returns this many more transfers, as soon as they are paid and the bank is up. */
  take(many: number): Promise<void>
  /** Resolves with the number of returned transfers when none is left to return. */
  finish(withinMs: number): Promise<number>
}

export function takeBackAt({ bank }: World): TakeBack {
  let [owed, taken] = [0, 0]

  async function takeSome(): Promise<void> {
    const { json } = await bank.control('GET', '/transfers')
    const paid = json.data.filter(({ state, next }: Json) => state === 'payment_processed' && next === null)
    for (const { id } of paid.slice(0, owed)) {
      const move = { state: 'returned', from: ['payment_processed'] }
      const { status } = await bank.control('POST', `/transfers/${id}/advance`, move)
      if (status !== 200) continue
      owed -= 1
      taken += 1
    }
  }
  // A bank that is down returns nothing.
  const tryToTake = () => takeSome().catch(() => undefined)

  return {
    async take(many) {
      owed += many
      await tryToTake()
    },
    async finish(withinMs) {
      const isDone = async () => {
        await tryToTake()
        return owed === 0
      }
      await until('the bank has returned all transfers', isDone, withinMs)
      return taken
    },
  }
}
