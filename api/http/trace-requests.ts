// Each request is a trace of its own, told by its route and never by its URL.
import type { Next } from 'koa'
import { parseTraceparent } from '../../runtime/tracing/context'
import type { Tracer } from '../../runtime/tracing/tracer'
import type { ApiContext } from './route'

/**
 * A partner's own trace is linked and not gone on with: whoever sends the same traceparent with every request would make one trace of
 * all of them, and whoever sends another's would write into theirs. Nor does its sampled flag count, since what is kept costs us.
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
