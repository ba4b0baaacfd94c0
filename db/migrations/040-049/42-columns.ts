// Columns that show who changed a price list, and on which device a session was opened.
import { migration } from '../migration'

// Stores the author of a price list change. Changes of the standard prices belong to no partner, so no activity list
// records them.
export const PriceAuthors1794700800042 = migration(
  'PriceAuthors1794700800042',
  'ALTER TABLE price_lists ADD COLUMN made_by text',
)

// Stores the device of a session in plain words, so that people recognise their sessions. Older sessions have none.
export const SessionDevices1794700800045 = migration(
  'SessionDevices1794700800045',
  `ALTER TABLE sessions ADD COLUMN device text,
    ADD CONSTRAINT sessions_device_check CHECK (length(device) <= 60)`,
)
