// Records each activity execution as a span in the trace of its workflow.
import type { Context } from '@temporalio/activity'
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker'
import { contextIn } from '../../runtime/tracing/context'
import type { Tracer } from '../../runtime/tracing/tracer'

/** Uses the IDs of run and payout: the workflow ID contains the partner's Idempotency-Key, which can be anything. */
export function traceActivities(tracer: Tracer): ActivityInterceptorsFactory {
  return ({ info }: Context): ActivityInterceptors => ({
    inbound: {
      execute: (input, next) =>
        tracer.run(
          {
            name: info.activityType,
            kind: 'internal',
            parent: contextIn(input.headers),
            attributes: {
              'temporal.run_id': info.workflowExecution?.runId ?? null,
              'temporal.attempt': info.attempt,
              'temporal.local': info.isLocal,
              'payouts.payout_id': payoutIdIn(input.args),
            },
          },
          () => next(input),
        ),
    },
  })
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function payoutIdIn([order]: readonly unknown[]): string | null {
  if (typeof order !== 'object' || order === null || !('payoutId' in order)) return null
  return typeof order.payoutId === 'string' && uuid.test(order.payoutId) ? order.payoutId : null
}
