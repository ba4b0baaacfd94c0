// Pauses or resumes the sending of payouts in one environment, for people in the Web UI; after a resume, wakes what has waited.
import { ActivityFailure, ApplicationFailure, continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow'
import type { Environment } from '../../domain/environment'
import * as activities from '../activities'
import { invalidInput, ofRunBefore, refusedInput } from '../input'
import { type WokenPage, wantedOfRailSwitch } from './rail-switch-steps'

export interface RailSwitch {
  readonly environment: Environment
  /** `wake` changes nothing, and only wakes what waits: for whoever has resumed it by themselves. */
  readonly action: 'pause' | 'resume' | 'wake'
  readonly by: string
  readonly reason?: string
  /** Where the run before has stopped; people leave it out. */
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

const pageSize = 50
/** After so many the waking goes on in a fresh history. */
const pages = 100

/** What is wrong with an order is told by its steps, but for one that is not there. */
export async function railSwitch(order: RailSwitch): Promise<RailSwitched> {
  if (typeof order !== 'object' || order === null) throw refusedInput(wantedOfRailSwitch)
  const { environment, action, by, reason = null } = order
  const from = ofRunBefore(order.from)
  const askedAt = workflowInfo().startTime.toISOString()
  const { changed } =
    action === 'wake' ? { changed: false } : await activities.switchRail({ environment, action, by, reason, askedAt })
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

/** What can not be woken looks for itself within minutes. */
async function wakePage(environment: Environment, after: string | null): Promise<WokenPage> {
  try {
    return await activities.wakeUnsent({ environment, after, limit: pageSize })
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error) || isOfInput(error)) throw error
    return { woken: 0, failed: 1, next: null }
  }
}

function isOfInput({ cause }: ActivityFailure): boolean {
  return cause instanceof ApplicationFailure && cause.type === invalidInput
}
