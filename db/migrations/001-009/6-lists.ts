// Indexes for the filters of the payout list and for the list of invoices.
import { migration } from '../migration'

export const Lists1794700800006 = migration(
  'Lists1794700800006',
  `
      CREATE INDEX payouts_reference_index ON payouts (partner_id, environment, reference, created_at DESC, id DESC)
        WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL) AND reference IS NOT NULL;
      -- Also finds the latest payout to each recipient.
      CREATE INDEX payouts_last4_index ON payouts (partner_id, environment, account_last4, created_at DESC, id DESC)
        WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL);
      -- Completed ones are so many that the list itself finds them at once.
      CREATE INDEX payouts_status_index ON payouts (partner_id, environment, status, created_at DESC, id DESC)
        WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL) AND status <> 'completed';
      CREATE INDEX invoices_list_index ON invoices (partner_id, period DESC, created_at DESC, id DESC);
    `,
)
