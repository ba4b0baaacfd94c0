// What is still written under which secret key, so that an older one is taken away only when nothing needs it.

import type { Db, Statement } from '../database'
import { sql } from '../sql'

/** How many of each a key is named by. */
export interface KeyUse {
  readonly keyId: string
  readonly recipients: number
  /** Of payouts whose bank details are still there, so that they can be written anew. */
  readonly payouts: number
  /** Of payouts whose bank details are erased: only the key itself can say whether a repeated request is the same. */
  readonly erasedPayouts: number
  /** Unrevoked ones; each is written anew when it is used. */
  readonly apiKeys: number
  /** They live for minutes, or until they are sent. */
  readonly codesAndMails: number
}

export async function keyringUse(db: Db, at: Date): Promise<KeyUse[]> {
  return db.transaction(async (tx) => {
    await tx.query(allowTime, [])
    return tx.run<KeyUse>(
      sql`WITH named (key_id, what) AS (
      SELECT key_id, 'recipients' FROM sealed_recipients
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
      (count(*) FILTER (WHERE what = 'recipients'))::integer AS recipients,
      (count(*) FILTER (WHERE what = 'payouts'))::integer AS payouts,
      (count(*) FILTER (WHERE what = 'erased'))::integer AS erased_payouts,
      (count(*) FILTER (WHERE what = 'keys'))::integer AS api_keys,
      (count(*) FILTER (WHERE what = 'passing'))::integer AS codes_and_mails
    FROM named GROUP BY key_id ORDER BY key_id`,
      { answerMs: withinMs + 2_000 },
    )
  })
}

const withinMs = 60_000

const allowTime: Statement = {
  name: 'keyring-use-time',
  text: `SELECT set_config('statement_timeout', '${withinMs}', true)`,
}
