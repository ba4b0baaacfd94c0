// Pauses or resumes payouts in one environment, for operators in the Web UI. A resume wakes waiting payouts.
import { ActivityFailure, ApplicationFailure, continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow'
import type { Environment } from '../../domain/environment'
import { fromPreviousRun, invalidInput, refusedInput } from '../input'
import { railSwitchInput } from '../names'
import { regularActivities } from '../proxies'

export interface RailSwitch {
  readonly environment: Environment
  /** `wake` only wakes waiting payouts. The ops CLI uses it after resuming the rail itself. */
  readonly action: 'pause' | 'resume' | 'wake'
  readonly by: string
  readonly reason?: string
  /** Where the previous run stopped. Operators omit it. */
  readonly from?: Place
}

interface Place {
  readonly after: string
  readonly woken: number
  readonly failed: number
}

export interface RailSwitched {
  readonly changed: boolean
  readonly woken: number
  readonly failed: number
}

export interface RailOrder {
  readonly environment: Environment
  readonly action: 'pause' | 'resume'
  /** The operator's name, for the activity list. */
  readonly by: string
  readonly reason: string | null
  /** When the switch was requested. A delayed resume must not end a pause that began later. */
  readonly askedAt: string
}

export interface UnsentPage {
  readonly environment: Environment
  /** The last payout of the previous page. Null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export interface WokenPage {
  readonly woken: number
  readonly failed: number
  readonly next: string | null
}

export interface RailSwitchActivities {
  /** Returns whether it changed anything. Idempotent. */
  switchRail(order: RailOrder): Promise<{ readonly changed: boolean }>
  /** Wakes the unsent payouts on a page and starts missing workflows. Idempotent. */
  wakeUnsent(page: UnsentPage): Promise<WokenPage>
}

/** An operator is waiting, so retries are frequent. They continue until the database is available again. */
const { switchRail } = regularActivities<Pick<RailSwitchActivities, 'switchRail'>>('20 seconds', {
  first: '200 ms',
  longest: '10 seconds',
})

/** A page takes at most half a minute. A payout that was not woken continues at its next poll. */
const { wakeUnsent } = regularActivities<Pick<RailSwitchActivities, 'wakeUnsent'>>('40 seconds', {
  first: '1 second',
  attempts: 5,
})

const pageSize = 50
/** After this many pages the workflow continues as a new run. */
const pages = 100

/** Rejects only an order that is not an object. The activities validate the fields. */
export async function railSwitch(order: RailSwitch): Promise<RailSwitched> {
  if (typeof order !== 'object' || order === null) throw refusedInput(railSwitchInput)
  const { environment, action, by, reason = null } = order
  const from = fromPreviousRun(order.from)
  const askedAt = workflowInfo().startTime.toISOString()
  const { changed } =
    action === 'wake' ? { changed: false } : await switchRail({ environment, action, by, reason, askedAt })
  if (action === 'pause') return { changed, woken: 0, failed: 0 }

  let { woken, failed } = from ?? { woken: 0, failed: 0 }
  let after = from?.after ?? null
  for (let page = 0; page < pages; page++) {
    const told = await wakePage(environment, after)
    woken += told.woken
    failed += told.failed
    after = told.next
    if (after === null) return { changed, woken, failed }
  }
  return continueAsNew<typeof railSwitch>({
    environment,
    action: 'wake',
    by,
    from: { after: after ?? '', woken, failed },
  })
}

/** A failed page ends the run without an error: payouts that were not woken continue at their next poll. */
async function wakePage(environment: Environment, after: string | null): Promise<WokenPage> {
  try {
    return await wakeUnsent({ environment, after, limit: pageSize })
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error) || isOfInput(error)) throw error
    return { woken: 0, failed: 1, next: null }
  }
}

function isOfInput({ cause }: ActivityFailure): boolean {
  return cause instanceof ApplicationFailure && cause.type === invalidInput
}
