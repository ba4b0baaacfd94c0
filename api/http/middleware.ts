// Middleware around every request: request ID, security headers, error responses, log line and activity entry.
import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import { isTransient } from '../../db/errors'
import { type Caller, nameOf } from '../../db/sign-in/callers'
import { parseTraceparent } from '../../runtime/tracing/context'
import type { Tracer } from '../../runtime/tracing/tracer'
import type { ApiDeps } from '../deps'
import { ApiError, presentError } from './errors'
import { type ApiContext, type Route, roleFor } from './route'

const securityHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

export function middleware(deps: ApiDeps): (context: ApiContext, next: Next) => Promise<void> {
  const secure: Record<string, string> = { ...securityHeaders }
  if (deps.config.publicUrl.startsWith('https:'))
    secure['Strict-Transport-Security'] = 'max-age=63072000; includeSubDomains'

  return async (context, next) => {
    const startedAt = process.hrtime.bigint()
    context.state.requestId = randomUUID()
    context.state.route = null
    context.state.caller = null
    context.state.activityWritten = false
    context.state.subject = null
    context.state.errorCode = null
    for (const name in secure) context.res.setHeader(name, secure[name] ?? '')
    context.res.setHeader('X-Request-Id', context.state.requestId)
    try {
      await next()
    } catch (error) {
      answerError(context, error, deps)
    }
    recordActivity(context, deps)
    const us = Number((process.hrtime.bigint() - startedAt) / 1_000n)
    logLine(context, deps, us)
    const { method, status, state, routerPath } = context
    deps.requests.count({ method, route: state.route?.path ?? routerPath ?? null, status, seconds: us / 1e6 })
  }
}

function answerError(context: ApiContext, thrown: unknown, { log }: ApiDeps): void {
  const error = toApiError(thrown)
  if (error.status >= 500 && error !== thrown)
    log.error({ err: thrown, request_id: context.state.requestId }, error.code)
  context.state.errorCode = error.code
  context.status = error.status
  for (const [name, value] of Object.entries(error.options.headers ?? {})) context.set(name, value)
  if (error.status === 401) context.set('WWW-Authenticate', challengeFor(context))
  if ([502, 503].includes(error.status) && !context.response.get('Retry-After')) context.set('Retry-After', '5')
  context.type = 'application/json; charset=utf-8'
  context.body = JSON.stringify(presentError(error))
}

/** According to RFC 6750, the challenge names an error only if the request had a token. */
function challengeFor(context: ApiContext): string {
  const realm = 'Bearer realm="payouts"'
  return /^Bearer /i.test(context.get('Authorization')) ? `${realm}, error="invalid_token"` : realm
}

/** An unreachable or overloaded database is a transient error. Any other error is a bug. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  return new ApiError(isTransient(thrown) ? 'service_unavailable' : 'internal_error', { details: undefined })
}

/** Records the calls of API keys, including failed ones, and the refused writes of people. */
function recordActivity(context: ApiContext, { activityLog, clock }: ApiDeps): void {
  const { caller, route, requestId, activityWritten, errorCode, subject } = context.state
  if (!caller || !route || route.access.by === 'anyone') return
  const keyId = caller.by === 'key' ? caller.keyId : null
  const at = clock.now()
  if (activityWritten && keyId !== null) activityLog.noteUse(keyId, at)
  if (activityWritten || (caller.by === 'person' && !isRefusedWrite(route, context.status))) return
  activityLog.record(
    {
      partnerId: caller.partner.id,
      at,
      environment: caller.environment,
      action: route.access.action,
      changes: 'nothing',
      status: context.status,
      madeBy: nameOf(caller),
      detail: errorCode ?? subject?.id ?? null,
      requestId,
    },
    keyId,
  )
}

/**
 * For people, only refused writes are recorded here. Handlers record changes themselves, and polling pages would flood
 * the list with reads.
 */
function isRefusedWrite(route: Route, status: number): boolean {
  return roleFor(route) === 'admin' && status >= 400
}

function logLine(context: ApiContext, { log }: ApiDeps, us: number): void {
  const { subject } = context.state
  log.info(
    {
      request_id: context.state.requestId,
      method: context.method,
      // Logs the matched route instead of the URL, because the URL may contain personal data.
      route: context.state.route?.path ?? null,
      status: context.status,
      ms: us / 1000,
      ...(subject === null ? {} : { [subject.field]: subject.id }),
      ...callerFields(context.state.caller),
    },
    'request',
  )
}

/** Identifies the caller without personal data such as an email address. */
function callerFields(caller: Caller | null): { readonly key?: string; readonly member?: string } {
  if (caller === null) return {}
  return caller.by === 'key' ? { key: caller.keyPrefix } : { member: caller.memberId }
}

/**
 * Starts a trace for each request. Spans contain the route and never the URL.
 *
 * Links the caller's trace instead of continuing it. Otherwise a caller that sends the same traceparent with every
 * request would merge all of them into one trace. A caller that sends a foreign traceparent would write into that trace.
 * The caller's sampled flag is ignored, because we pay for the storage.
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
