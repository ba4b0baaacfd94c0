// Lets whoever waits for a verdict go when the process has to end: they are answered from the row, as after any long wait.
import type { Verdict } from '../domain/verdict'
import type { PayoutStarter } from './payout-starter'

export interface StoppableStarter extends PayoutStarter {
  readonly stopWaiting: () => void
}

export function untilStopped(payouts: PayoutStarter): StoppableStarter {
  const waiting = new Set<() => void>()
  let stopped = false
  return {
    bankSpoke: (payout) => payouts.bankSpoke(payout),
    start: (payout) =>
      new Promise<Verdict | null>((resolve, reject) => {
        const giveUp = () => resolve(null)
        waiting.add(giveUp)
        if (stopped) giveUp()
        payouts
          .start(payout)
          .then(resolve, reject)
          .finally(() => waiting.delete(giveUp))
      }),
    /** From now on nobody waits, whoever comes. */
    stopWaiting() {
      stopped = true
      for (const giveUp of waiting) giveUp()
    },
  }
}
