// The cookie that binds an emailed code to the browser that asked for it. It does not sign anyone in.
import { createHash, randomBytes } from 'node:crypto'
import { codeLastsMs } from '../../../domain/sign-in'
import { readCookie, writeCookie } from './cookie'

export function newBrowserToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Null when this browser has not requested a code recently. */
export function readBrowserToken(publicUrl: string, header: string | undefined): string | null {
  const value = readCookie(publicUrl, 'browser', header)
  return value !== null && tokenPattern.test(value) ? value : null
}

/** Lasts as long as the code. */
export function browserCookie(publicUrl: string, token: string): string {
  return writeCookie(publicUrl, { name: 'browser', value: token, sameSite: 'Strict', maxAgeMs: codeLastsMs })
}

/** For the database. 256 random bits need no keyed hash. */
export function browserDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** 32 bytes in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/
