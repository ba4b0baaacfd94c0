// Opens tracing for a process, if a collector is configured, with the interceptors for its Temporal and bank calls.
import { randomUUID } from 'node:crypto'
import type { ClientInterceptors, WorkflowClientInterceptor } from '@temporalio/client'
import type { AroundCall } from '../../rail/provider/client'
import type { Clock } from '../clock'
import type { TracingConfig } from '../config/config'
import type { Log } from '../log'
import { withContext } from './context'
import { createExporter } from './exporter'
import { createTracer, errorTypeOf, type Span, type Tracer } from './tracer'

export interface Tracing {
  readonly tracer: Tracer
  readonly temporalCalls: ClientInterceptors
  readonly bankCalls: AroundCall
  /** Sends the remaining spans within a second. Never throws. */
  close(): Promise<void>
}

interface TracedProcess {
  /** The service name, unless the configuration sets one. */
  readonly name: string
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}

/** Null if nothing is traced, so that an untraced process has no overhead. */
export function openTracing(
  config: TracingConfig | null,
  { name, version, clock, log }: TracedProcess,
): Tracing | null {
  if (config === null) return null
  const { url, headers, ratio, serviceName } = config
  const resource = {
    'service.name': serviceName ?? name,
    'service.version': version,
    'service.instance.id': randomUUID(),
  }
  const exporter = createExporter({ collector: { url, headers }, resource, log })
  const tracer = createTracer({ clock, ratio, onFinished: (span) => exporter.add(span) })
  return {
    tracer,
    temporalCalls: { workflow: [traceTemporalCalls(tracer)] },
    bankCalls: traceBankCalls(tracer),
    close: () => exporter.close(),
  }
}

/** Each call to the bank is a span with method, path template and status. The bank receives no trace header. */
function traceBankCalls(tracer: Tracer): AroundCall {
  return ({ method, template }, call) =>
    tracer.run(
      {
        name: `${method} ${template}`,
        kind: 'client',
        attributes: { 'http.request.method': method, 'url.template': template },
      },
      async (span) => {
        const answer = await call()
        if (answer.stage !== 'answered') {
          span.fail(errorTypeOf(answer.cause))
          return answer
        }
        span.tell({ 'http.response.status_code': answer.status })
        if (answer.status >= 400) span.fail(String(answer.status))
        return answer
      },
    )
}

/**
 * Each start, update or signal of a workflow is a span. Its name contains the type and not the ID, because an ID may
 * contain text from a partner.
 */
function traceTemporalCalls(tracer: Tracer): WorkflowClientInterceptor {
  const call = <T>(name: string, work: (span: Span) => Promise<T>) => tracer.run({ name, kind: 'client' }, work)
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
