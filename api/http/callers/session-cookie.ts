// The session cookie. Other sites cannot read it.
import { cookieName, readCookie, writeCookie } from './cookie'

export function sessionCookie(publicUrl: string, token: string, maxAgeMs: number): string {
  return writeCookie(publicUrl, { name: 'session', value: token, sameSite: 'Lax', maxAgeMs })
}

export function endedCookie(publicUrl: string): string {
  return sessionCookie(publicUrl, '', 0)
}

export function sessionCookieName(publicUrl: string): string {
  return cookieName(publicUrl, 'session')
}

/** Null when it is missing or cannot be one of our tokens. */
export function readSessionCookie(publicUrl: string, header: string | undefined): string | null {
  const value = readCookie(publicUrl, 'session', header)
  return value !== null && tokenPattern.test(value) ? value : null
}

/** 32 bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/
