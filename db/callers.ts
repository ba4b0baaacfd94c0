// Authentication (§5): which key and partner a request comes from, in one statement.
import type { Environment } from '../domain/environment'
import type { PartnerStatus, VerificationStatus } from '../domain/partner'
import type { Queryable, Statement } from './database'

export interface Caller {
  readonly keyId: string
  readonly keyPrefix: string
  readonly environment: Environment
  readonly partner: {
    readonly id: string
    readonly status: PartnerStatus
    readonly verificationStatus: VerificationStatus
    /** Requests per second in the key's environment; null means its default. */
    readonly rateLimit: number | null
  }
}

/** Null when the key is unknown or revoked. */
export async function findCaller(db: Queryable, digests: readonly Buffer[]): Promise<Caller | null> {
  const [row] = await db.query<CallerRow>(selectCaller, [digests])
  if (row === undefined) return null
  const { keyId, keyPrefix, environment, partnerId, status, verificationStatus, rateLimit } = row
  return { keyId, keyPrefix, environment, partner: { id: partnerId, status, verificationStatus, rateLimit } }
}

interface CallerRow {
  readonly keyId: string
  readonly keyPrefix: string
  readonly environment: Environment
  readonly partnerId: string
  readonly status: PartnerStatus
  readonly verificationStatus: VerificationStatus
  readonly rateLimit: number | null
}

// How long the index takes depends on a keyed hash that no caller can choose, so it tells nothing about any key.
const selectCaller: Statement = {
  name: 'caller-by-digest',
  text: `SELECT k.id AS "keyId", k.key_prefix AS "keyPrefix", k.environment, p.id AS "partnerId", p.status,
      p.verification_status AS "verificationStatus",
      CASE k.environment WHEN 'live' THEN p.rate_limit_live ELSE p.rate_limit_sandbox END AS "rateLimit"
    FROM api_keys k JOIN partners p ON p.id = k.partner_id
    WHERE k.digest = ANY ($1::bytea[]) AND k.revoked_at IS NULL`,
}
