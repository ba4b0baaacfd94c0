// The bank takes back what it had paid, days later in life: any transfer that is over may come back.

import type { Json } from '../support/bank/client'
import type { World } from '../support/system/world'
import { until } from '../support/until'

export interface TakeBack {
  /** So many more; those that it has not paid yet, or is not up to take back, come later. */
  take(many: number): Promise<void>
  /** Resolves with how many there were when none is left to come. */
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
  // A bank that is down takes nothing back.
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
      await until('the bank has taken back what it was to', isDone, withinMs)
      return taken
    },
  }
}
