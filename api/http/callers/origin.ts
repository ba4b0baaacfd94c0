// Checks that a write comes from our own pages. A session cookie alone proves nothing: browsers send it from other sites' pages too.
import type { IncomingHttpHeaders } from 'node:http'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../errors'
import type { ApiContext, Route } from '../route'

export function requireOurPages({ method }: Route, context: ApiContext, { config }: ApiDeps): void {
  if (method === 'GET' || isFromOurPages(context.req.headers, config.publicUrl)) return
  throw new ApiError('forbidden_origin')
}

/**
 * Browsers send where a request comes from, and no page can forge it: Sec-Fetch-Site, or in older ones Origin, which all of them
 * send with every write. A request with neither is not from a current browser, so its cookie does not count.
 */
export function isFromOurPages(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, 'content-type': type } = headers
  // A page of another site can post a form. For JSON it needs a CORS preflight, which we do not answer.
  if (type !== undefined && !/^application\/json\b/i.test(type)) return false
  if (site !== undefined && site !== 'same-origin') return false
  if (origin !== undefined) return isOurs(origin, headers.host, publicUrl)
  return site === 'same-origin'
}

/** Our public address, or the host that this request was sent to: browsers send the cookie to no other host. */
function isOurs(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const { host: from, protocol } = new URL(origin)
  const known = new URL(publicUrl)
  // An attacker on the network can replace any page that is loaded over plain http, even from our own host.
  if (known.protocol === 'https:' && protocol !== 'https:') return false
  return origin === known.origin || (host !== undefined && from === host.toLowerCase())
}
