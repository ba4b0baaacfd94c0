// An index for the list of payouts in the order of their amounts.
import { migration } from '../migration'

export const PayoutsByAmount1794700800047 = migration(
  'PayoutsByAmount1794700800047',
  `CREATE INDEX payouts_amount_index ON payouts (partner_id, environment, amount_pence DESC, created_at DESC, id DESC)
    WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)`,
)
