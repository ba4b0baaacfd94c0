// An index of the payouts that readers do not see, for the search of operators. It holds few rows: a decided payout leaves it.
import { migration } from '../migration'

export const HiddenPayouts1794700800044 = migration(
  'HiddenPayouts1794700800044',
  `CREATE INDEX payouts_hidden_index ON payouts (partner_id, created_at DESC, id DESC)
    WHERE released_at IS NOT NULL OR (verdict_at IS NULL AND answered_at IS NULL)`,
)
