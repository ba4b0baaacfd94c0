// Finds a payout's bank events without reading all events. An operator's view of a payout reads them.
import { indexMigration } from '../migration'

export const BankEventsByPayout1794700800048 = indexMigration(
  'BankEventsByPayout1794700800048',
  'bank_events_payout_index',
  'bank_events (payout_id, received_at, id) WHERE payout_id IS NOT NULL',
)
