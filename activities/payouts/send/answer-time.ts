// The time that the bank has while a caller waits: one for everything it is asked, and a bank that is only busy is asked again in it.
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../runtime/clock'
import type { PayoutDeps } from '../../bind'

export interface AnswerTime {
  readonly clock: Clock
  /** No call begins later, so that each has all of its own time before `endBy`: a transfer that is cut off is one nobody knows of. */
  readonly beginBy: Date
  readonly endBy: Date
}

export function answerTime({ clock, patience }: Pick<PayoutDeps, 'clock' | 'patience'>): AnswerTime {
  const beginBy = clock.now().getTime() + patience.answerWithinMs
  return { clock, beginBy: new Date(beginBy), endBy: new Date(beginBy + patience.answerCallMs) }
}

export function isTimeLeft({ clock, beginBy }: AnswerTime, inMs = 0): boolean {
  return clock.now().getTime() + inMs < beginBy.getTime()
}

type Answered = { readonly outcome: string; readonly why?: string; readonly retryAfterMs?: number | null }

/** The same call again while the bank is busy, after longer and longer pauses or those it asks for. */
export async function whileBusy<T extends Answered>(time: AnswerTime, call: () => Promise<T>): Promise<T> {
  for (let pauseMs = shortestMs; ; pauseMs *= 2) {
    const answer = await call()
    const waitMs = Math.max(pauseMs, answer.retryAfterMs ?? 0)
    if (!isBusy(answer) || !isTimeLeft(time, waitMs)) return answer
    await wait(waitMs)
  }
}

/** By no means an unknown outcome, whatever words describe it: that must not be followed by another first call. */
function isBusy({ outcome, why }: Answered): boolean {
  return outcome !== 'unknown' && why === 'busy'
}

const shortestMs = 50
