// Finds, every minute, what no workflow looks after, and sees that one does: open payouts, and sandboxes without a bank.
import * as activities from './activities'
import type { OpenPage, SweptPayouts, SweptSandboxes } from './sweep-steps'

export interface Sweep {
  readonly pageSize: number
  /** What one run looks at, at most; the next run begins at the beginning again. */
  readonly pages: number
}

export interface Swept {
  readonly looked: number
  readonly started: number
  readonly connecting: number
  readonly woken: number
}

export async function sweep({ pageSize: limit, pages }: Sweep): Promise<Swept> {
  let [looked, started, connecting] = [0, 0, 0]

  let after: OpenPage['after'] = null
  for (let page = 0; page < pages; page++) {
    const swept: SweptPayouts = await activities.sweepPayouts({ after, limit })
    looked += swept.looked
    started += swept.started
    after = swept.next
    if (after === null) break
  }

  let partner: string | null = null
  for (let page = 0; page < pages; page++) {
    const swept: SweptSandboxes = await activities.sweepSandboxes({ after: partner, limit })
    connecting += swept.started
    partner = swept.next
    if (partner === null) break
  }

  const { woken } = await activities.sweepStrays({ limit })
  return { looked, started, connecting, woken }
}
