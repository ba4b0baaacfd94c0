// Writes and reads our cookies: HttpOnly, and Secure except on this machine.

export interface CookieToSet {
  readonly name: string
  readonly value: string
  readonly sameSite: 'Lax' | 'Strict'
  readonly maxAgeMs: number
}

export function writeCookie(publicUrl: string, { name, value, sameSite, maxAgeMs }: CookieToSet): string {
  const { secure } = styleFor(publicUrl)
  const lasts = `Max-Age=${Math.floor(maxAgeMs / 1000)}`
  return [
    `${cookieName(publicUrl, name)}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${sameSite}`,
    lasts,
    ...secure,
  ].join('; ')
}

export function readCookie(publicUrl: string, name: string, header: string | undefined): string | null {
  const begin = `${cookieName(publicUrl, name)}=`
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(begin))?.slice(begin.length) ?? null
}

/** The name that browsers send. */
export function cookieName(publicUrl: string, name: string): string {
  return `${styleFor(publicUrl).prefix}${name}`
}

/** `__Host-` binds the cookie to this host and to https. Safari does not store Secure cookies of http://localhost. */
function styleFor(publicUrl: string): { readonly prefix: string; readonly secure: readonly string[] } {
  const { protocol, hostname } = new URL(publicUrl)
  const isThisMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return protocol === 'http:' && isThisMachine ? { prefix: '', secure: [] } : { prefix: '__Host-', secure: ['Secure'] }
}
