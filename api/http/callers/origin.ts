// Whether a write comes from our own pages: a session's cookie alone proves nothing, other sites' pages send it too (design §6).
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Browsers say where a request comes from, and no page can make them lie: Sec-Fetch-Site where they send it, else Origin, which
 * all of them send with every write. Whoever says neither is no browser of today, and is not let in by a cookie.
 */
export function isFromOurPages(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, 'content-type': type } = headers
  // A page of another site can post a form, but no JSON without asking first, and we answer no such question.
  if (type !== undefined && !/^application\/json\b/i.test(type)) return false
  if (site !== undefined && site !== 'same-origin') return false
  if (origin !== undefined) return isOurs(origin, headers.host, publicUrl)
  return site === 'same-origin'
}

/** Either the address we are known by, or the one that this very request was sent to: a cookie is given to no other host. */
function isOurs(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const { host: from, protocol } = new URL(origin)
  const known = new URL(publicUrl)
  // Whoever sits on the wire can write any page that comes by plain http, also one of our own host.
  if (known.protocol === 'https:' && protocol !== 'https:') return false
  return origin === known.origin || (host !== undefined && from === host.toLowerCase())
}
