// Puts the Schedules in place, one after the other. A worker waits a while for that and then works: no payout needs them.

import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { Config } from '../../runtime/config/config'
import { deadlineIn } from '../../runtime/temporal/client'
import { ofSystem, sweepId } from '../../workflows/names'
import { type Patience, patiently } from '../patience'
import { putSchedule, schedulesOf } from './schedules'

/** What a server that is only just started or very busy needs for ten of them. */
const headStartMs = 20_000

export interface Putting {
  /** Resolves when all are there, or when the worker is asked to stop; never rejects. */
  readonly over: Promise<void>
}

/** Resolves as soon as all are there, or when it takes too long to wait for: those that are left are put beside the work. */
export async function putSchedules(
  client: Client,
  config: Config,
  { patience, waitMs = headStartMs }: { readonly patience: Patience; readonly waitMs?: number },
): Promise<Putting> {
  const over = putAll(client, config, patience).catch(() => undefined)
  const waited = new AbortController()
  const signal = AbortSignal.any([patience.signal, waited.signal])
  await Promise.race([over, wait(waitMs, null, { signal }).catch(() => undefined)])
  waited.abort()
  patience.signal.throwIfAborted()
  return { over }
}

async function putAll(client: Client, config: Config, patience: Patience): Promise<void> {
  const temporal = `Temporal at ${config.temporal.address}`
  for (const schedule of schedulesOf(config)) {
    // Each for itself: on a busy server the first must not be put again because a later one took too long.
    await patiently(temporal, () => putSchedule(client, schedule), patience)
  }
  // What was left while no worker ran need not wait for the next minute.
  const sweep = client.schedule.getHandle(ofSystem(sweepId, config.taskQueuePrefix))
  await patiently(temporal, () => client.withDeadline(deadlineIn(10_000), () => sweep.trigger()), patience)
}
