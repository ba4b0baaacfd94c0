// Hands the trace that a workflow was started in on to all that it starts; where there is none, nothing is added.
import type { Headers, WorkflowInterceptors } from '@temporalio/workflow'

export const traceHeader = 'traceparent'

/** Made anew for every run. No event depends on it: headers are no part of what a replay compares. */
export function interceptors(): WorkflowInterceptors {
  let trace: Headers = {}
  const traced = <Input extends { readonly headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...trace },
  })
  return {
    inbound: [
      {
        execute(input, next) {
          const header = input.headers[traceHeader]
          if (header !== undefined) trace = { [traceHeader]: header }
          return next(input)
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(traced(input)),
        scheduleLocalActivity: (input, next) => next(traced(input)),
        startChildWorkflowExecution: (input, next) => next(traced(input)),
        continueAsNew: (input, next) => next(traced(input)),
      },
    ],
  }
}
