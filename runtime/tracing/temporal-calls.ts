// Each call that starts, updates or signals a workflow is a span, and what it starts goes on with its trace.
import type { WorkflowClientInterceptor } from '@temporalio/client'
import { withContext } from './temporal-header'
import type { Span, Tracer } from './tracer'

/** By the types of workflows, updates and signals: an id may hold what a partner has written. */
export function traceTemporalCalls(tracer: Tracer): WorkflowClientInterceptor {
  const call = <T>(name: string, ask: (span: Span) => Promise<T>) => tracer.run({ name, kind: 'client' }, ask)
  return {
    startWithDetails: (input, next) =>
      call(`StartWorkflow ${input.workflowType}`, ({ context }) =>
        next({ ...input, headers: withContext(input.headers, context) }),
      ),
    startUpdateWithStart: (input, next) =>
      call(`UpdateWithStartWorkflow ${input.workflowType}`, ({ context }) =>
        next({ ...input, workflowStartHeaders: withContext(input.workflowStartHeaders, context) }),
      ),
    signalWithStart: (input, next) =>
      call(`SignalWithStartWorkflow ${input.workflowType}`, ({ context }) =>
        next({ ...input, headers: withContext(input.headers, context) }),
      ),
    startUpdate: (input, next) => call(`UpdateWorkflow ${input.updateName}`, () => next(input)),
    signal: (input, next) => call(`SignalWorkflow ${input.signalName}`, () => next(input)),
  }
}
