// What the bank charged for a transfer, kept until the payout is charged in a step of its own.
import { migration } from '../migration'

export const ChargeStep1794700800039 = migration(
  'ChargeStep1794700800039',
  'ALTER TABLE payouts ADD COLUMN network_cost_micropounds bigint',
)
