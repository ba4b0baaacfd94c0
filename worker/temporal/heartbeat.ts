// A sign of life from every regular activity as long as it runs: what a killed worker had begun is begun again within seconds.

import type { Context } from '@temporalio/activity'
import type { ActivityInterceptors } from '@temporalio/worker'

const everyMs = 1_000

/** Local activities need none: they are taken over with their workflow task. */
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
