// One business and the bank's questions to it: the bank is asked, ever more slowly or when it speaks, until it has decided.
import { condition, continueAsNew, defineSignal, setHandler } from '@temporalio/workflow'
import type { VerificationStatus } from '../../domain/partners/partner'
import * as activities from '../activities'
import { requireFields } from '../input'
import { bankSpokeSignal } from '../names'

export interface Verification {
  readonly partnerId: string
  /** How long to wait before the bank is asked again: the first time, the second …, then as the last. */
  readonly pollMs: readonly number[]
  /** After so many questions it goes on in a fresh history. */
  readonly checks: number
  /** How many pauses in a row nobody has interrupted, also in the runs before. */
  readonly paused?: number
}

const bankSpoke = defineSignal(bankSpokeSignal)

/** Answers how it ended; whoever has news of it afterwards starts it again. */
export async function verification(order: Verification): Promise<VerificationStatus> {
  requireFields(order, { partnerId: 'id', pollMs: 'pauses', checks: 'count' })
  const { partnerId, pollMs, checks } = order
  let paused = order.paused ?? 0
  let spoken = false
  setHandler(bankSpoke, () => {
    spoken = true
  })
  // What was said before the bank is asked is in its answer.
  spoken = false

  let standing = await activities.openLiveCustomer({ partnerId })
  for (let checked = 1; ; checked++) {
    if (standing.ready) standing = await activities.connectLiveWallet({ partnerId })
    if (!spoken && isDecided(standing.status)) return standing.status
    if (!spoken && checked >= checks) return continueAsNew<typeof verification>({ ...order, paused })

    const woken = await condition(() => spoken, pollMs[Math.min(paused, pollMs.length - 1)] ?? dayMs)
    paused = woken ? 0 : paused + 1
    spoken = false
    standing = await activities.checkLiveCustomer({ partnerId })
  }
}

const dayMs = 86_400_000

/** One that nobody has begun, because who started this could not say so in the row, has nothing to wait for either. */
function isDecided(status: VerificationStatus): boolean {
  return status === 'approved' || status === 'rejected' || status === 'not_started'
}
