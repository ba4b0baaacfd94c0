// How the workflow that wakes unsent payouts is started after the rail was resumed or a partner reactivated.
import type { Environment } from '../../domain/environment'
import { housekeepingQueue, ofSystem, railSwitchId } from '../names'
import type { RailSwitch } from './rail-switch'

export function wakeUnsentStart(
  environment: Environment,
  by: string,
  queuePrefix: string,
  why = 'The rail is open again',
) {
  return {
    workflowId: railSwitchId(environment, queuePrefix),
    taskQueue: ofSystem(housekeepingQueue, queuePrefix),
    args: [{ environment, action: 'wake', by }] as [RailSwitch],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // One that is under way may have passed those that a second pause has kept.
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    staticSummary: `${why} · ${environment}`,
  } as const
}
