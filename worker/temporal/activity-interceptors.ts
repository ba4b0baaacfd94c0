// Interceptors around every activity: heartbeats and tracing.

import type { Context } from '@temporalio/activity'
import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker'
import { contextIn } from '../../runtime/tracing/context'
import type { Tracer } from '../../runtime/tracing/tracer'

const everyMs = 1_000

/**
 * Sends heartbeats while a regular activity runs, so that the activities of a killed worker are retried within seconds.
 * Local activities need none: they are retried with their workflow task.
 */
export function heartbeats(context: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        if (context.info.isLocal) return next(input)
        const beat = setInterval(() => context.heartbeat(), everyMs)
        try {
          return await next(input)
        } finally {
          clearInterval(beat)
        }
      },
    },
  }
}

/**
 * Records each execution as a span in the trace of its workflow. Uses the run ID and the payout ID, because the
 * workflow ID contains the Idempotency-Key, which the partner chooses.
 */
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
