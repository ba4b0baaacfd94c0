// The lookups for payout routes. They find the payout in the path, or the claim of the Idempotency-Key, in the same
// statement as the API key.
import { type ClaimedRow, findCallerAndClaim, findClaim } from '../../db/payouts/claims'
import { findCallerAndPayout, findPayout, type PayoutRow } from '../../db/payouts/payouts'
import { isUuid } from '../../domain/uuid'
import { ApiError } from '../http/errors'
import type { ApiRequest, Checks, Lookup, RepeatableChecks, Reply, Rights, Schemas } from '../http/route'
import { IdParams } from '../http/schema'
import { authenticateWith, authorize, idempotent, limit, readIdempotencyKey, validate } from '../http/steps'

/** The steps before the handler of a route that has a payout in its path. */
export function payoutChecks(
  action: string,
  rights: Rights,
  schemas?: Pick<Schemas, 'body'>,
): Checks<PayoutRow | null> {
  return [authenticateWith(payoutInPath), limit, authorize(action, rights), validate({ params: IdParams, ...schemas })]
}

export function requirePayout({ found }: ApiRequest<PayoutRow | null>): PayoutRow {
  if (found === null) throw new ApiError('not_found')
  return found
}

/** The payout that `:id` names, if it belongs to the caller. */
export const payoutInPath: Lookup<PayoutRow | null> = {
  nameIn({ params }) {
    const id = params?.['id'] ?? ''
    return isUuid(id) ? id : null
  },
  nothing: null,
  async findWithKey(db, digest, id) {
    const found = await findCallerAndPayout(db, digest, id)
    return found && { caller: found.caller, found: found.payout }
  },
  findForPerson: findPayout,
  isRepeatable: () => false,
  subjectOf: (payout) => payout && { field: 'payout_id', id: payout.id },
}

/** The steps before the handler of a route that pays, or prepares a payment, with an Idempotency-Key. */
export function claimChecks(action: string, by: Rights['by'], schemas: Schemas): RepeatableChecks<FoundClaim> {
  return [
    authenticateWith(claimOfKey),
    limit,
    authorize(action, { by, partner: 'payer' }),
    idempotent,
    validate(schemas),
  ]
}

export interface FoundClaim {
  readonly idempotencyKey: string
  /** Null when the key is new. */
  readonly claim: ClaimedRow | null
}

export const claimOfKey: Lookup<FoundClaim> = {
  nameIn: readIdempotencyKey,
  nothing: { idempotencyKey: '', claim: null },
  async findWithKey(db, digest, idempotencyKey) {
    const found = await findCallerAndClaim(db, digest, idempotencyKey)
    return found && { caller: found.caller, found: { idempotencyKey, claim: found.claim } }
  },
  async findForPerson(db, scope, idempotencyKey) {
    return { idempotencyKey, claim: await findClaim(db, { ...scope, idempotencyKey }) }
  },
  isRepeatable: ({ claim }) => claim?.releasedAt === null,
  subjectOf: (_found, reply) => createdPayout(reply),
}

function createdPayout({ body }: Reply): { field: string; id: string } | null {
  if (typeof body !== 'object' || body === null || !('id' in body) || typeof body.id !== 'string') return null
  return { field: 'payout_id', id: body.id }
}
