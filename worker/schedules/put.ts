// Creates or updates the Schedules, one after the other. The worker waits for this only for a while, because payouts do not need them.

import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { Config } from '../../runtime/config/config'
import { deadlineIn } from '../../runtime/temporal/client'
import { ofSystem, sweepId } from '../../workflows/names'
import { type Patience, patiently } from '../patience'
import { putSchedule, schedulesOf } from './schedules'

/** Enough for ten Schedules on a busy or newly started server. */
const headStartMs = 20_000

export interface Putting {
  /** Resolves when all exist, or when the worker is asked to stop. Never rejects. */
  readonly over: Promise<void>
}

/** Resolves when all exist, or after a timeout. The rest are created while the worker runs. */
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
    // Each is retried separately, so that a slow one does not repeat the others on a busy server.
    await patiently(temporal, () => putSchedule(client, schedule), patience)
  }
  // Work that accumulated while no worker ran need not wait for the next interval.
  const sweep = client.schedule.getHandle(ofSystem(sweepId, config.taskQueuePrefix))
  await patiently(temporal, () => client.withDeadline(deadlineIn(10_000), () => sweep.trigger()), patience)
}
