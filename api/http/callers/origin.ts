// Where a request comes from: the page that sent it, and the client's address.
import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../errors'
import type { ApiContext, Route } from '../route'

/**
 * Checks writes, because a session cookie alone proves nothing: browsers also send it with requests from pages on other
 * sites.
 */
export function requireOurPages({ method }: Route, context: ApiContext, { config }: ApiDeps): void {
  if (method === 'GET' || isFromOurPages(context.req.headers, config.publicUrl)) return
  throw new ApiError('forbidden_origin')
}

/**
 * Browsers report a request's origin in headers that no page can forge: Sec-Fetch-Site, or Origin in older browsers,
 * which send it with every write. A request with neither header does not come from a current browser, so its cookie
 * proves nothing.
 */
export function isFromOurPages(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, 'content-type': type } = headers
  // A page on another site can post a form. To post JSON it needs a CORS preflight, which we do not answer.
  if (type !== undefined && !/^application\/json\b/i.test(type)) return false
  if (site !== undefined && site !== 'same-origin') return false
  if (origin !== undefined) return isOurs(origin, headers.host, publicUrl)
  return site === 'same-origin'
}

/** Accepts our public address and the host that received the request. Browsers send the cookie to no other host. */
function isOurs(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const { host: from, protocol } = new URL(origin)
  const known = new URL(publicUrl)
  // An attacker on the network can replace any page that is loaded over plain http, even from our own host.
  if (known.protocol === 'https:' && protocol !== 'https:') return false
  return origin === known.origin || (host !== undefined && from === host.toLowerCase())
}

/** The address of the peer, or the address that the trusted proxies report. */
export function addressOf(context: ApiContext, trustedProxies: number): string {
  const remote = context.req.socket.remoteAddress
  return clientAddress({ remote, forwardedFor: context.get('X-Forwarded-For') }, trustedProxies)
}

/**
 * Each proxy appends the address that it saw to X-Forwarded-For. The client may have forged everything before the last
 * `trustedProxies` entries.
 */
export function clientAddress(
  { remote, forwardedFor }: { remote: string | undefined; forwardedFor: string },
  trustedProxies: number,
): string {
  const reported = trustedProxies > 0 ? (forwardedFor.split(',').at(-trustedProxies)?.trim() ?? '') : ''
  return networkOf(isIP(reported) ? reported : (remote ?? 'unknown'))
}

/** A client usually controls a whole IPv6 /64 network, so all addresses in it count as one. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [before = '', after] = address.toLowerCase().split('::')
  const groups = before.split(':').filter(Boolean)
  const rest = after?.split(':').filter(Boolean) ?? []
  const zeros = after === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0')
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`
}
