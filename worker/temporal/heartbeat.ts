// Sends heartbeats for every regular activity while it runs, so that activities of a killed worker are retried within seconds.

import type { Context } from '@temporalio/activity'
import type { ActivityInterceptors } from '@temporalio/worker'

const everyMs = 1_000

/** Local activities need none: they are retried with their workflow task. */
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
