// Indexes for lists and searches.
import { indexMigration, migration } from '../migration'

// An index of the payouts that readers do not see, for the search of operators. It holds few rows: a decided payout leaves it.
export const HiddenPayouts1794700800044 = migration(
  'HiddenPayouts1794700800044',
  `CREATE INDEX payouts_hidden_index ON payouts (partner_id, created_at DESC, id DESC)
    WHERE released_at IS NOT NULL OR (verdict_at IS NULL AND answered_at IS NULL)`,
)

// An index for the list of payouts in the order of their amounts.
export const PayoutsByAmount1794700800047 = migration(
  'PayoutsByAmount1794700800047',
  `CREATE INDEX payouts_amount_index ON payouts (partner_id, environment, amount_pence DESC, created_at DESC, id DESC)
    WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)`,
)

// Finds a payout's bank events without reading all events. An operator's view of a payout reads them.
export const BankEventsByPayout1794700800048 = indexMigration(
  'BankEventsByPayout1794700800048',
  'bank_events_payout_index',
  'bank_events (payout_id, received_at, id) WHERE payout_id IS NOT NULL',
)
