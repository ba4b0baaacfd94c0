// Stores the device of a session in plain words, so that people recognise their sessions. Older sessions have none.
import { migration } from '../migration'

export const SessionDevices1794700800045 = migration(
  'SessionDevices1794700800045',
  `ALTER TABLE sessions ADD COLUMN device text,
    ADD CONSTRAINT sessions_device_check CHECK (length(device) <= 60)`,
)
