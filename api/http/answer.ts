// Runs the steps of a route for one request, calls its handler and sends the reply.
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Queryable } from '../../db/database'
import type { ApiDeps } from '../deps'
import { requireStillAuthorized, withCallerCheck } from './callers/authorize'
import { addressOf } from './callers/origin'
import { timeoutAsUnavailable } from './costly-reads'
import { chooseEncoding } from './prepared-text'
import type { ApiContext, ApiRequest, Exchange, Reply, Route } from './route'

export function answer(route: Route, deps: ApiDeps): (context: ApiContext) => Promise<void> {
  const steps = route.steps.map((step) => step.bind(route, deps))
  return async (context) => {
    context.state.route = route
    const exchange = newExchange(context)
    for (const run of steps) await run(exchange)
    const reply = await handle(route, exchange, deps)
    context.state.subject = exchange.subjectOf(reply)
    await send(context, route, reply)
  }
}

function newExchange(context: ApiContext): Exchange {
  return {
    context,
    received: null,
    caller: null,
    found: null,
    isRepeatable: false,
    refusal: null,
    bodyFault: null,
    params: {},
    query: {},
    body: undefined,
    subjectOf: () => null,
  }
}

async function handle(route: Route, exchange: Exchange, deps: ApiDeps): Promise<Reply> {
  const { caller } = exchange
  const recheck = (db: Queryable) => requireStillAuthorized(db, route, exchange)
  const request = requestOf(exchange, () => recheck(deps.db), deps)
  if (route.reads === 'history' && caller !== null) {
    const db = deps.costlyReads.of(caller.partner.id)
    return route.handle(request, { ...deps, db }).catch((error: unknown) => {
      throw timeoutAsUnavailable(error)
    })
  }
  return route.handle(request, route.method === 'GET' ? deps : { ...deps, db: withCallerCheck(deps.db, recheck) })
}

/** The types of a route's steps guarantee that its handler gets the caller and the lookup result that it expects. */
function requestOf(exchange: Exchange, recheckCaller: () => Promise<void>, { config }: ApiDeps): never {
  const { context, caller, found, refusal, bodyFault, params, query, body } = exchange
  const request: Omit<ApiRequest, 'caller'> & { readonly caller: ApiRequest['caller'] | null } = {
    caller,
    found,
    mayOnlyRepeat: refusal ?? bodyFault,
    requestId: context.state.requestId,
    params,
    query,
    body,
    header: (name) => context.get(name),
    address: () => addressOf(context, config.trustedProxies),
    recheckCaller,
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return request as never
}

async function send(context: ApiContext, { method }: Route, reply: Reply): Promise<void> {
  const { status = 200, body, type = 'application/json; charset=utf-8', headers = {}, location, activity } = reply
  context.status = status
  context.state.activityWritten = activity === 'written'
  for (const name in headers) context.res.setHeader(name, headers[name] ?? '')
  if (location !== undefined) context.res.setHeader('Location', location + environmentOf(context, location))
  const isJson = reply.type === undefined
  const isCompressible = method === 'GET' && (isJson || /^(application\/json|text\/csv)\b/.test(type))
  if (isCompressible) context.vary('Accept-Encoding')
  if (status === 304) return
  context.res.setHeader('Content-Type', type)
  const sent = isJson ? JSON.stringify(body) : body
  const encoding = isCompressible && !isFromOtherSite(context) ? chooseEncoding(context) : 'identity'
  context.body = encoding === 'identity' ? sent : await compress(context, encoding, sent)
}

/**
 * The length of a compressed response can reveal a secret in it to an attacker who controls another part of it (BREACH).
 * No response to a GET contains a secret or repeats text of the request. A page on another site can still open a GET
 * with a person's session, so its responses are not compressed.
 */
function isFromOtherSite({ state: { caller }, req }: ApiContext): boolean {
  return caller?.by !== 'key' && ['cross-site', 'same-site'].includes(String(req.headers['sec-fetch-site']))
}

/** A shorter body fits into one packet anyway. */
const compressedFromBytes = 1_024
/** Zlib's default for Brotli is for files that are compressed once, and is a hundred times slower. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** Compresses a stream while it is sent, so a long export still needs little memory. */
async function compress(context: ApiContext, encoding: 'br' | 'gzip', body: unknown): Promise<unknown> {
  if (body instanceof Readable) {
    nameEncoding(context, encoding)
    const compressor = encoding === 'br' ? createBrotliCompress(brotliOptions) : createGzip()
    // Koa handles errors of the body. `pipeline` destroys both streams if one of them fails.
    return pipeline(body, compressor, () => undefined)
  }
  const bytes = body instanceof Buffer ? body : Buffer.from(String(body))
  if (bytes.length < compressedFromBytes) return bytes
  const compressed = await (encoding === 'br' ? brotli(bytes, brotliOptions) : zip(bytes))
  nameEncoding(context, encoding)
  return compressed
}

/** All encodings share the ETag, so it becomes a weak one. */
function nameEncoding(context: ApiContext, encoding: string): void {
  context.set('Content-Encoding', encoding)
  const etag = context.res.getHeader('ETag')
  if (typeof etag === 'string' && etag.startsWith('"')) context.set('ETag', `W/${etag}`)
}

const zip = promisify(gzip)
const brotli = promisify<Buffer, typeof brotliOptions, Buffer>(brotliCompress)

/**
 * Adds the environment for a person in live, who would otherwise see the sandbox. An API key has its own environment.
 */
function environmentOf({ state: { caller } }: ApiContext, location: string): string {
  return caller?.by === 'person' && caller.environment === 'live' && !location.includes('?') ? '?environment=live' : ''
}
