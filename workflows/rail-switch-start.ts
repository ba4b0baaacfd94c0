// How the workflow that wakes what a pause has kept is started by whoever has resumed the rail.
import type { Environment } from '../domain/environment'
import { housekeepingQueue, ofSystem, railSwitchId } from './names'
import type { RailSwitch } from './rail-switch'

export function wakeUnsentStart(environment: Environment, by: string, queuePrefix: string) {
  return {
    workflowId: railSwitchId(environment, queuePrefix),
    taskQueue: ofSystem(housekeepingQueue, queuePrefix),
    args: [{ environment, action: 'wake', by }] as [RailSwitch],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // One that is under way may have passed those that a second pause has kept.
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    staticSummary: `The rail is open again · ${environment}`,
  } as const
}
