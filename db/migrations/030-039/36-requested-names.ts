// A verified partner's new name waits in requested_name until an operator approves it.
import { migration } from '../migration'

export const RequestedNames1794700800036 = migration(
  'RequestedNames1794700800036',
  `
      ALTER TABLE partners ADD COLUMN requested_name text;
      CREATE INDEX partners_requested_name_index ON partners (id) WHERE requested_name IS NOT NULL;
    `,
)
