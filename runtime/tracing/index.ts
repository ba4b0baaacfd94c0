// Traces of one process, where a collector is configured: what its parts need to be seen in them.
import { randomUUID } from 'node:crypto'
import type { ClientInterceptors } from '@temporalio/client'
import type { AroundCall } from '../../rail/provider/client'
import type { Clock } from '../clock'
import type { TracingConfig } from '../config/config'
import type { Log } from '../log'
import { traceBankCalls } from './bank-calls'
import { createExporter } from './exporter'
import { traceTemporalCalls } from './temporal-calls'
import { createTracer, type Tracer } from './tracer'

export interface Tracing {
  readonly tracer: Tracer
  readonly temporalCalls: ClientInterceptors
  readonly bankCalls: AroundCall
  /** Sends what is left; takes a second at most, and never throws. */
  close(): Promise<void>
}

export interface TracedProcess {
  /** What it is called where the configuration has no name for it. */
  readonly name: string
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}

/** Null where nothing is traced: then no part of it exists, and nobody pays for it. */
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
