// Pauses and resumes the rail with the operators' commands, even while parts of the system are down.
import { setTimeout as pause } from 'node:timers/promises'
import { railStates } from '../../db/bank/rail-pauses'
import type { World } from '../support/system/world'
import { until } from '../support/until'
import type { ChaosEvent } from './plan'

/** How long to retry a command while the database is down. */
const retryForMs = 180_000

/** Resolves when the rail is open again. */
export async function pauseRail(
  world: World,
  { environment, ms }: Extract<ChaosEvent, { kind: 'pause' }>,
): Promise<void> {
  await retryUntilDone(world, 'pause', environment)
  await pause(ms)
  await retryUntilDone(world, 'resume', environment)
}

/** Retries a command until it has taken effect. If a command fails, checks whether it took effect anyway. */
async function retryUntilDone(world: World, verb: 'pause' | 'resume', environment: string): Promise<void> {
  const isDone = async () => {
    const states = await railStates(world.db)
    const state = states.find((each) => each.environment === environment)
    return state !== undefined && (state.pausedAt !== null) === (verb === 'pause')
  }
  const hasWorked = () =>
    world
      .ops('rail', verb, '--environment', environment)
      .then(() => true, isDone)
      .catch(() => false)
  await until(`ops could ${verb} the ${environment} rail`, hasWorked, retryForMs)
}
