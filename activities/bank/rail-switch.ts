// Activities that pause or resume the rail and wake waiting payouts.
import { ApplicationFailure } from '@temporalio/common'
import { pauseRail, resumeRail } from '../../db/bank/rail-pauses'
import { listUnsentPayouts } from '../../db/payouts/open'
import { environments } from '../../domain/environment'
import { wakePayout } from '../../runtime/temporal/workflows'
import type { RailOrder, UnsentPage, WokenPage } from '../../workflows/bank/rail-switch'
import { railSwitchInput } from '../../workflows/names'
import type { ActivityDeps } from '../bind'
import { each } from '../controls/sweep'

type RailDeps = Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'temporal' | 'queuePrefix' | 'pollMs'>

export async function switchRail(
  { db, clock, log }: Pick<RailDeps, 'db' | 'clock' | 'log'>,
  order: RailOrder,
): Promise<{ changed: boolean }> {
  requireReadable(order)
  const { environment, action, reason } = order
  const about = { environment, by: `ops:${order.by}`, at: clock.now() }
  const changed =
    action === 'pause'
      ? await pauseRail(db, { ...about, reason })
      : await resumeRail(db, { ...about, pausedBefore: new Date(order.askedAt) })
  if (changed)
    log.warn({ environment, by: about.by }, action === 'pause' ? 'the rail is paused' : 'the rail is resumed')
  return { changed }
}

/** Validates the input, because operators type it in the Web UI. */
function requireReadable({ environment, action, by, reason }: RailOrder): void {
  const isLine = (text: unknown, max: number) => typeof text === 'string' && text.length <= max && !/\p{Cc}/u.test(text)
  const isRight =
    environments.includes(environment) &&
    ['pause', 'resume'].includes(action) &&
    isLine(by, 60) &&
    by.trim() !== '' &&
    (reason === null || isLine(reason, 200))
  if (!isRight) throw unreadable()
}

function unreadable(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`The input must be ${railSwitchInput}.`, 'InvalidInput')
}

export async function wakeUnsent(deps: RailDeps, page: UnsentPage): Promise<WokenPage> {
  if (!environments.includes(page.environment)) throw unreadable()
  const rows = await listUnsentPayouts(deps.db, page)
  const wake = (row: (typeof rows)[number]) => wakePayout(deps, row)
  const { done, failed } = await each(deps, rows, wake, ({ payoutId }) => ({ payout_id: payoutId }))
  const last = rows.length < page.limit ? undefined : rows.at(-1)
  return { woken: done.length, failed, next: last?.payoutId ?? null }
}
