// How often one address may ask for codes and try them: what is counted per email alone stands in the codes themselves.
import { createHmac } from 'node:crypto'
import { codesPerAddressAndHour, triesPerAddressAndHour } from '../../../domain/sign-in'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../../errors'
import type { ApiRequest } from '../../route'

export function countCodeRequest(request: ApiRequest, deps: ApiDeps): Promise<void> {
  return count('codes', request.address(), codesPerAddressAndHour, deps)
}

export function countTry(request: ApiRequest, deps: ApiDeps): Promise<void> {
  return count('tries', request.address(), triesPerAddressAndHour, deps)
}

async function count(what: string, whose: string, perHour: number, deps: ApiDeps): Promise<void> {
  // As a keyed hash: who has signed in from where is not kept.
  const { bytes } = deps.keyring.current('address')
  const who = createHmac('sha256', bytes).update(whose).digest('base64url')
  if (await deps.rateLimiter.takeHourly(`${what}/${who}`, perHour)) return
  throw new ApiError('rate_limited', { headers: { 'Retry-After': String(Math.ceil(3600 / perHour)) } })
}
