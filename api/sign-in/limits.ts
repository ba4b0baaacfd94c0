// Limits code requests, sign-ups and attempts per network address. db/sign-in/codes.ts limits codes per email address.
import { createHmac } from 'node:crypto'
import {
  codesPerAddressAndHour,
  codesPerEmailAddressAndHour,
  signUpsPerAddressAndHour,
  triesPerAddressAndHour,
} from '../../domain/sign-in'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import type { OpenRequest } from '../http/route'

export async function countCodeRequest(request: OpenRequest, email: string, deps: ApiDeps): Promise<void> {
  const from = request.address()
  if (!(await take('codes', from, codesPerAddressAndHour, deps))) throw tooManyCodes(3600 / codesPerAddressAndHour)
  if (await take('codes-of', `${from} ${email}`, codesPerEmailAddressAndHour, deps)) return
  throw tooManyCodes(3600 / codesPerEmailAddressAndHour)
}

export async function countSignUp(request: OpenRequest, deps: ApiDeps): Promise<void> {
  if (await take('signups', request.address(), signUpsPerAddressAndHour, deps)) return
  throw new ApiError('rate_limited', {
    message: 'Too many sign-ups were started from this network. Try again later.',
    headers: retryAfter(3600 / signUpsPerAddressAndHour),
  })
}

export async function countTry(request: OpenRequest, deps: ApiDeps): Promise<void> {
  if (await take('tries', request.address(), triesPerAddressAndHour, deps)) return
  throw new ApiError('rate_limited', { headers: retryAfter(3600 / triesPerAddressAndHour) })
}

export function tooManyCodes(retryAfterSeconds: number): ApiError {
  return new ApiError('rate_limited', {
    message:
      'No code was sent: too many were requested for this email or from this network. Try again later. ' +
      'A code that this browser has requested still works.',
    headers: retryAfter(retryAfterSeconds),
  })
}

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) }
}

async function take(what: string, whose: string, perHour: number, deps: ApiDeps): Promise<boolean> {
  // Stored as a keyed hash, so that the database contains no network or email addresses.
  const { bytes } = deps.keyring.current('address')
  const who = createHmac('sha256', bytes).update(whose).digest('base64url')
  return deps.rateLimiter.takeHourly(`${what}/${who}`, perHour)
}
