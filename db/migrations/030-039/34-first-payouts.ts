// Notices of the first live payout of a key or member. Each gets one notice, however many payouts run concurrently.
import { migration } from '../migration'

export const FirstPayouts1794700800034 = migration(
  'FirstPayouts1794700800034',
  `
      ALTER TABLE notices
        -- The key or member whose first live payout it is. No foreign key: a removed member has paid all the same.
        ADD COLUMN payer_id uuid,
        DROP CONSTRAINT notices_kind_check,
        ADD CONSTRAINT notices_kind_check CHECK
          (kind IN ('payout_failed', 'payout_returned', 'low_balance', 'verification', 'top_up', 'case', 'first_payout')),
        ADD CONSTRAINT notices_payer_check CHECK ((kind = 'first_payout') = (payer_id IS NOT NULL));
      CREATE UNIQUE INDEX notices_payer_unique ON notices (payer_id) WHERE payer_id IS NOT NULL;

      -- Keys and admins of today are not new: their next payout is not reported.
      INSERT INTO notices (partner_id, environment, kind, about, at, told_at, payer_id)
      SELECT partner_id, 'live', 'first_payout', 'before', now(), now(), id FROM api_keys WHERE environment = 'live'
      UNION ALL
      SELECT partner_id, 'live', 'first_payout', 'before', now(), now(), id FROM members WHERE role = 'admin';
    `,
)
