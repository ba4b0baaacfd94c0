// The cookie of a browser in which somebody has signed in: it opens nothing, but keeps apart what strangers do with their email.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PurposeKey } from '../db/keyring'
import { browserKnownForMs } from '../domain/sign-in'
import { readCookie, writeCookie } from './cookie'
import type { ApiDeps } from './deps'
import type { ApiRequest } from './route'

type Deps = Pick<ApiDeps, 'config' | 'keyring' | 'clock'>

/** The email in lower case, as the codes have it. */
export function browserCookie(email: string, { config, keyring, clock }: Deps): string {
  const until = String(Math.floor((clock.now().getTime() + browserKnownForMs) / 1000))
  const value = `${until}.${signatureOf(keyring.current('browser'), until, email).toString('base64url')}`
  return writeCookie(config.publicUrl, { name: 'browser', value, sameSite: 'Strict', maxAgeMs: browserKnownForMs })
}

/** Whether this very email has signed in there. No table is asked, so nobody learns who is known from how long it takes. */
export function isKnownBrowser(
  email: string,
  request: Pick<ApiRequest, 'header'>,
  { config, keyring, clock }: Deps,
): boolean {
  const value = readCookie(config.publicUrl, 'browser', request.header('Cookie')) ?? ''
  const [, until, sent] = valuePattern.exec(value) ?? []
  if (until === undefined || sent === undefined || Number(until) * 1000 <= clock.now().getTime()) return false
  const signature = Buffer.from(sent, 'base64url')
  return keyring.all('browser').some((key) => timingSafeEqual(signatureOf(key, until, email), signature))
}

/** Until when, in seconds, and 32 bytes in base64url: whoever reads it does not learn whose it is. */
const valuePattern = /^(\d{10,12})\.([A-Za-z0-9_-]{43})$/

function signatureOf({ bytes }: PurposeKey, until: string, email: string): Buffer {
  return createHmac('sha256', bytes).update(`${until}|${email}`).digest()
}
