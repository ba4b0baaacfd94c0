// Passes a workflow's trace header, if there is one, to its activities, children and continuations.
import type { Headers, WorkflowInterceptors } from '@temporalio/workflow'

export const traceHeader = 'traceparent'

/** Created once per run. Replay does not compare headers, so the header may change between runs. */
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
