// Lets whoever waits for a verdict go when the process has to end: they are answered from the row, as after any long wait.
import type { Verdict } from '../../domain/payouts/verdict'
import type { PayoutStarter } from './starter'

export interface StoppableStarter extends PayoutStarter {
  readonly stopWaiting: () => void
}

export function untilStopped(payouts: PayoutStarter): StoppableStarter {
  const waiting = new Set<() => void>()
  let stopped = false

  function letGo<T>(otherwise: T, begin: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = () => resolve(otherwise)
      waiting.add(giveUp)
      if (stopped) giveUp()
      begin()
        .then(resolve, reject)
        .finally(() => waiting.delete(giveUp))
    })
  }

  return {
    bankSpoke: (payout) => payouts.bankSpoke(payout),
    cameBack: (payout) => payouts.cameBack(payout),
    start: (payout) => letGo<Verdict | null>(null, () => payouts.start(payout)),
    cancel: (payout) => letGo<Cancelled>('undecided', () => payouts.cancel(payout)),
    /** From now on nobody waits, whoever comes. */
    stopWaiting() {
      stopped = true
      for (const giveUp of waiting) giveUp()
    },
  }
}

type Cancelled = Awaited<ReturnType<PayoutStarter['cancel']>>
