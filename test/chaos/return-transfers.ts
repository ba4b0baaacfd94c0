// Makes the bank return paid transfers. A real return comes days after the payment, so any paid transfer is eligible.

import type { Json } from '../support/bank/client'
import type { World } from '../support/system/world'
import { until } from '../support/until'

export interface TransferReturns {
  /** Makes the bank return this many more transfers as soon as enough are paid and the bank is up. */
  take(many: number): Promise<void>
  /** Resolves with the number of returned transfers when all have been returned. */
  finish(withinMs: number): Promise<number>
}

export function returnTransfersAt({ bank }: World): TransferReturns {
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
  // While the bank is down, nothing can be returned.
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
