// How often one address may ask for codes and try them: what is counted per email stands in the codes themselves.
import { createHmac } from 'node:crypto'
import { codesPerAddressAndHour, triesPerAddressAndHour } from '../../../domain/sign-in'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../../errors'
import type { ApiRequest } from '../../route'

export function countCodeRequest(request: ApiRequest, deps: ApiDeps): Promise<void> {
  return count('codes', codesPerAddressAndHour, request, deps)
}

export function countTry(request: ApiRequest, deps: ApiDeps): Promise<void> {
  return count('tries', triesPerAddressAndHour, request, deps)
}

async function count(what: string, perHour: number, request: ApiRequest, deps: ApiDeps): Promise<void> {
  // As a keyed hash: who has signed in from where is not kept.
  const { bytes } = deps.keyring.current('address')
  const who = createHmac('sha256', bytes).update(request.address()).digest('base64url')
  if (await deps.rateLimiter.takeHourly(`${what}/${who}`, perHour)) return
  throw new ApiError('rate_limited', { headers: { 'Retry-After': String(Math.ceil(3600 / perHour)) } })
}
