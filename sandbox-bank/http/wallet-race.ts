// Who is creating a transfer from a wallet at this moment, so that the loser of a race can be refused on demand.
import type { Faults, Subject } from '../control/faults'
import { insufficientFunds } from './errors'

export interface Racer {
  /** Throws when a fault says that this one loses. */
  check(faults: Faults, subject: Subject): void
  leave(): void
}

export function createWalletRace(): (walletId: string) => Racer {
  const creating = new Map<string, number>()
  return (walletId) => {
    const others = creating.get(walletId) ?? 0
    creating.set(walletId, others + 1)
    return {
      /** The real bank was seen to refuse the loser as if the money were not there. */
      check(faults, subject) {
        const busy = faults.peek(['busy'], subject)
        if (!busy || (busy.racing === 'only' && others === 0)) return
        faults.take(['busy'], subject)
        throw insufficientFunds()
      },
      leave() {
        const left = (creating.get(walletId) ?? 1) - 1
        if (left === 0) creating.delete(walletId)
        else creating.set(walletId, left)
      },
    }
  }
}
