// Creates or updates the Schedules, one after the other. The worker waits for this only for a while, because payouts do not need them.

import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, ScheduleAlreadyRunning } from '@temporalio/client'
import type { Config } from '../../runtime/config/config'
import { deadlineIn } from '../../runtime/temporal/client'
import { ofSystem, scheduleIds } from '../../workflows/names'
import { untilAvailable, type WaitOptions } from '../until-available'
import { type OurSchedule, schedulesOf } from './schedules'

/** Enough for ten Schedules on a busy or newly started server. */
const headStartMs = 20_000

interface Putting {
  /** Resolves when all exist, or when the worker is asked to stop. Never rejects. */
  readonly over: Promise<void>
}

/** Resolves when all exist, or after a timeout. The rest are created while the worker runs. */
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
    // Each is retried separately, so that a slow one does not repeat the others on a busy server.
    await untilAvailable(temporal, () => putSchedule(client, schedule), waiting)
  }
  // Work that accumulated while no worker ran need not wait for the next interval.
  const sweep = client.schedule.getHandle(ofSystem(scheduleIds.sweep, config.taskQueuePrefix))
  await untilAvailable(temporal, () => client.withDeadline(deadlineIn(10_000), () => sweep.trigger()), waiting)
}

/**
 * Safe to run in any number of workers at once. Manual changes such as a pause stay. A Schedule that matches this code is
 * not updated: an update makes the server forget missed runs that it has to catch up with.
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

/** The fingerprint is stored in the memo of the workflows it starts. */
function marked(schedule: OurSchedule): OurSchedule {
  const fingerprint = createHash('sha256').update(JSON.stringify(schedule)).digest('hex').slice(0, 16)
  return { ...schedule, action: { ...schedule.action, memo: { [madeFrom]: fingerprint } } }
}
