// Step `idempotent`: requires a well-formed Idempotency-Key. The route's lookup finds what is stored under it.
import { idempotencyKeyPattern } from '../../../domain/limits'
import { ApiError } from '../errors'
import type { ApiContext, Idempotency } from '../route'

const keyPattern = new RegExp(idempotencyKeyPattern)

export const idempotent: Idempotency = {
  kind: 'idempotent',
  bind: () => (exchange) => {
    if (readIdempotencyKey(exchange.context) === null) throw new ApiError('idempotency_key_required')
  },
}

/** Null when the header is missing or malformed. */
export function readIdempotencyKey(context: ApiContext): string | null {
  const sent = context.get('Idempotency-Key')
  return keyPattern.test(sent) ? sent : null
}
