// Starts a trace for each request. Spans carry the route and never the URL.
import type { Next } from 'koa'
import { parseTraceparent } from '../../runtime/tracing/context'
import type { Tracer } from '../../runtime/tracing/tracer'
import type { ApiContext } from './route'

/**
 * Links the caller's trace instead of continuing it. A caller that sends the same traceparent with every request would merge them
 * into one trace, and one that sends a foreign traceparent would write into it. We ignore its sampled flag, because storage costs us.
 */
export function traceRequests(tracer: Tracer): (context: ApiContext, next: Next) => Promise<void> {
  return (context, next) => {
    const link = parseTraceparent(context.get('traceparent'))
    return tracer.run({ name: context.method, kind: 'server', parent: null, link }, async (span) => {
      await next()
      const { method, status, state, routerPath } = context
      const route = state.route?.path ?? routerPath ?? null
      if (route !== null) span.rename(`${method} ${route}`)
      span.tell({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'payouts.request_id': state.requestId,
        'payouts.environment': state.caller?.environment ?? null,
        ...(state.subject && { [`payouts.${state.subject.field}`]: state.subject.id }),
      })
      if (status >= 500) span.fail(String(status))
    })
  }
}
