// The session cookie and the browser cookie: HttpOnly, and Secure except on localhost.
import { createHash, randomBytes } from 'node:crypto'
import { codeLastsMs } from '../../../domain/sign-in'

export function sessionCookie(publicUrl: string, token: string, maxAgeMs: number): string {
  return writeCookie(publicUrl, { name: 'session', value: token, sameSite: 'Lax', maxAgeMs })
}

export function endedCookie(publicUrl: string): string {
  return sessionCookie(publicUrl, '', 0)
}

export function sessionCookieName(publicUrl: string): string {
  return cookieName(publicUrl, 'session')
}

/** Null if the cookie is missing or cannot be one of our tokens. */
export function readSessionCookie(publicUrl: string, header: string | undefined): string | null {
  const value = readCookie(publicUrl, 'session', header)
  return value !== null && tokenPattern.test(value) ? value : null
}

/** The browser cookie binds an emailed code to the browser that requested it. It does not sign anyone in. */
export function newBrowserToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Null if the cookie is missing or malformed, as in a browser that has not requested a code recently. */
export function readBrowserToken(publicUrl: string, header: string | undefined): string | null {
  const value = readCookie(publicUrl, 'browser', header)
  return value !== null && tokenPattern.test(value) ? value : null
}

/** The cookie lasts as long as the code. */
export function browserCookie(publicUrl: string, token: string): string {
  return writeCookie(publicUrl, { name: 'browser', value: token, sameSite: 'Strict', maxAgeMs: codeLastsMs })
}

/** The digest that the database stores. A token of 256 random bits needs no keyed hash. */
export function browserDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** 32 bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

interface CookieToSet {
  readonly name: string
  readonly value: string
  readonly sameSite: 'Lax' | 'Strict'
  readonly maxAgeMs: number
}

function writeCookie(publicUrl: string, { name, value, sameSite, maxAgeMs }: CookieToSet): string {
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

function readCookie(publicUrl: string, name: string, header: string | undefined): string | null {
  const begin = `${cookieName(publicUrl, name)}=`
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(begin))?.slice(begin.length) ?? null
}

function cookieName(publicUrl: string, name: string): string {
  return `${styleFor(publicUrl).prefix}${name}`
}

/**
 * The `__Host-` prefix binds the cookie to this host and to https. On http://localhost the cookie has no prefix,
 * because Safari does not store Secure cookies there.
 */
function styleFor(publicUrl: string): { readonly prefix: string; readonly secure: readonly string[] } {
  const { protocol, hostname } = new URL(publicUrl)
  const isThisMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return protocol === 'http:' && isThisMachine ? { prefix: '', secure: [] } : { prefix: '__Host-', secure: ['Secure'] }
}
