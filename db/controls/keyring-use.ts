// Counts the rows that still depend on each secret key. An older key may be removed only when no row depends on it.
import type { Db } from '../database'
import { sql } from '../sql'

export interface KeyUse {
  readonly keyId: string
  readonly recipients: number
  readonly notes: number
  /** Payouts whose bank details are still stored, so they can be sealed and hashed again under the current key. */
  readonly payouts: number
  /** Payouts whose bank details are erased. Only this key can show whether a repeated request matches the original. */
  readonly erasedPayouts: number
  /** API keys that are not revoked. The next use of each API key renews its digest under the current key. */
  readonly apiKeys: number
  /** Codes expire within minutes. Emails count until they are sent or expire. */
  readonly codesAndMails: number
}

export async function keyringUse(db: Db, at: Date): Promise<KeyUse[]> {
  return db.transaction(async (tx) => {
    await tx.sql`SELECT set_config('statement_timeout', ${String(statementMs)}, true)`
    return tx.run<KeyUse>(
      sql`WITH named (key_id, kind) AS (
      SELECT key_id, 'recipients' FROM sealed_recipients
      UNION ALL
      SELECT key_id, 'notes' FROM payout_notes
      UNION ALL
      SELECT named.key_id, CASE WHEN s.payout_id IS NULL THEN 'erased' ELSE 'payouts' END
      FROM payouts p LEFT JOIN sealed_recipients s ON s.payout_id = p.id,
        LATERAL (SELECT p.fingerprint_key_id UNION SELECT p.account_hash_key_id WHERE s.payout_id IS NOT NULL) named (key_id)
      WHERE p.released_at IS NULL AND named.key_id IS NOT NULL
      UNION ALL
      SELECT digest_key_id, 'keys' FROM api_keys WHERE revoked_at IS NULL
      UNION ALL
      SELECT digest_key_id, 'passing' FROM codes WHERE expires_at > ${at} OR (used_at IS NOT NULL AND sealed IS NOT NULL)
      UNION ALL
      SELECT key_id, 'passing' FROM mails WHERE expires_at > ${at} AND sealed IS NOT NULL
    )
    SELECT key_id,
      (count(*) FILTER (WHERE kind = 'recipients'))::integer AS recipients,
      (count(*) FILTER (WHERE kind = 'notes'))::integer AS notes,
      (count(*) FILTER (WHERE kind = 'payouts'))::integer AS payouts,
      (count(*) FILTER (WHERE kind = 'erased'))::integer AS erased_payouts,
      (count(*) FILTER (WHERE kind = 'keys'))::integer AS api_keys,
      (count(*) FILTER (WHERE kind = 'passing'))::integer AS codes_and_mails
    FROM named GROUP BY key_id ORDER BY key_id`,
      { answerMs: statementMs + 2_000 },
    )
  })
}

const statementMs = 60_000
