// Erases the hashes of recipients that were erased before a release that erases both together.
import { migration } from '../migration'

export const ErasedRecipients1794700800022 = migration(
  'ErasedRecipients1794700800022',
  `
      UPDATE payouts SET account_hash = NULL, account_hash_key_id = NULL, bank_body = NULL,
        field_fingerprints = (SELECT coalesce(jsonb_object_agg(path, hash), '{}')
          FROM jsonb_each(field_fingerprints) AS field (path, hash) WHERE NOT starts_with(path, 'recipient.'))
      WHERE (closed_at IS NOT NULL OR released_at IS NOT NULL)
        AND NOT EXISTS (SELECT FROM sealed_recipients s WHERE s.payout_id = payouts.id);
    `,
)
