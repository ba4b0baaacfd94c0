// Stores the bank's charge for a transfer until a separate step charges the payout.
import { migration } from '../migration'

export const ChargeStep1794700800039 = migration(
  'ChargeStep1794700800039',
  'ALTER TABLE payouts ADD COLUMN network_cost_micropounds bigint',
)
