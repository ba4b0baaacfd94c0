// Creates or updates the Schedules, one after the other. The worker waits only a limited time, because payouts do not
// need Schedules.

import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, ScheduleAlreadyRunning } from '@temporalio/client'
import type { Config } from '../../runtime/config/config'
import { deadlineIn } from '../../runtime/temporal/client'
import { ofSystem, scheduleIds } from '../../workflows/names'
import { untilAvailable, type WaitOptions } from '../until-available'
import { type OurSchedule, schedulesOf } from './schedules'

/** Long enough for all Schedules on a busy or newly started server. */
const headStartMs = 20_000

interface Putting {
  /** Resolves when all Schedules exist, or when the worker must stop. Never rejects. */
  readonly over: Promise<void>
}

/** Resolves when all Schedules exist, or after a timeout. The remaining ones are created while the worker runs. */
export async function putSchedules(
  client: Client,
  config: Config,
  { waiting, waitMs = headStartMs }: { readonly waiting: WaitOptions; readonly waitMs?: number },
): Promise<Putting> {
  const over = putAll(client, config, waiting).catch(() => undefined)
  const waited = new AbortController()
  const signal = AbortSignal.any([waiting.signal, waited.signal])
  await Promise.race([over, wait(waitMs, null, { signal }).catch(() => undefined)])
  waited.abort()
  waiting.signal.throwIfAborted()
  return { over }
}

async function putAll(client: Client, config: Config, waiting: WaitOptions): Promise<void> {
  const temporal = `Temporal at ${config.temporal.address}`
  for (const schedule of schedulesOf(config)) {
    // Each Schedule is retried separately, so that one failure does not repeat the calls for the others.
    await untilAvailable(temporal, () => putSchedule(client, schedule), waiting)
  }
  // Triggers a sweep immediately, because work may have accumulated while no worker was running.
  const sweep = client.schedule.getHandle(ofSystem(scheduleIds.sweep, config.taskQueuePrefix))
  await untilAvailable(temporal, () => client.withDeadline(deadlineIn(10_000), () => sweep.trigger()), waiting)
}

/**
 * Safe to run in several workers at the same time. Preserves a manual pause. Does not update a Schedule that matches
 * this code: an update discards the missed runs that Temporal still has to catch up on.
 */
export async function putSchedule(client: Client, schedule: OurSchedule): Promise<void> {
  await client.withDeadline(deadlineIn(10_000), () => createOrUpdate(client, marked(schedule)))
}

async function createOrUpdate(client: Client, { scheduleId, ...schedule }: OurSchedule): Promise<void> {
  try {
    await client.schedule.create({ scheduleId, ...schedule })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    const handle = client.schedule.getHandle(scheduleId)
    const { action } = await handle.describe()
    if (action.memo?.[madeFrom] === schedule.action.memo?.[madeFrom]) return
    await handle.update(({ state }) => ({ ...schedule, state }))
  }
}

const madeFrom = 'schedule_made_from'

/** Adds the Schedule's fingerprint to the memo of the workflows that it starts. */
function marked(schedule: OurSchedule): OurSchedule {
  const fingerprint = createHash('sha256').update(JSON.stringify(schedule)).digest('hex').slice(0, 16)
  return { ...schedule, action: { ...schedule.action, memo: { [madeFrom]: fingerprint } } }
}
