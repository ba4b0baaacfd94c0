// The cookie that carries a session's token: out of reach of scripts and of other sites, and of plain HTTP outside this machine.

export function sessionCookie(publicUrl: string, token: string, maxAgeMs: number): string {
  const { name, secure } = styleFor(publicUrl)
  const lasts = `Max-Age=${Math.floor(maxAgeMs / 1000)}`
  return [`${name}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', lasts, ...secure].join('; ')
}

export function endedCookie(publicUrl: string): string {
  return sessionCookie(publicUrl, '', 0)
}

/** Null when there is none, or what is there can not be a token of ours. */
export function readSessionCookie(publicUrl: string, header: string | undefined): string | null {
  if (header === undefined) return null
  const { name } = styleFor(publicUrl)
  const value = header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
  return value !== undefined && tokenPattern.test(value) ? value : null
}

/** 32 bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** `__Host-` binds the cookie to this very host and to https. Safari keeps no Secure cookie of http://localhost. */
function styleFor(publicUrl: string): { readonly name: string; readonly secure: readonly string[] } {
  const { protocol, hostname } = new URL(publicUrl)
  const isThisMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return protocol === 'http:' && isThisMachine
    ? { name: 'session', secure: [] }
    : { name: '__Host-session', secure: ['Secure'] }
}
