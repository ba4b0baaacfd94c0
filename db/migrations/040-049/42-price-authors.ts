// Stores the author of a price list change. Changes of the standard prices belong to no partner, so no activity list
// records them.
import { migration } from '../migration'

export const PriceAuthors1794700800042 = migration(
  'PriceAuthors1794700800042',
  'ALTER TABLE price_lists ADD COLUMN made_by text',
)
