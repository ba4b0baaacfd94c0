// How the workflow of a recall or trace is started, the same by the API and by ops.

import type { Environment } from '../../domain/environment'
import type { CaseKind } from '../../domain/payouts/case'
import { housekeepingQueue, ofSystem, payoutCaseId } from '../names'
import type { CaseToFollow } from './case'

export interface CaseToStart {
  readonly id: string
  readonly kind: CaseKind
  readonly environment: Environment
  readonly openedAt: Date
  readonly dueAt: Date
}

const dayMs = 24 * 60 * 60 * 1000

export function payoutCaseStart({ id, kind, environment, openedAt, dueAt }: CaseToStart, queuePrefix: string) {
  const dueInMs = dueAt.getTime() - openedAt.getTime()
  return {
    workflowId: payoutCaseId(id),
    taskQueue: ofSystem(housekeepingQueue, queuePrefix),
    args: [{ caseId: id, dueInMs, lookEveryMs: dayMs }] as [CaseToFollow],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `A ${kind} · ${environment}`,
  } as const
}
