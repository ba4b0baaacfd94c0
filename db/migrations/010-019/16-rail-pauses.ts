// Pauses of the rail: when, in which environment, by whom and why sending to the bank was paused.
import { migration } from '../migration'

export const RailPauses1794700800016 = migration(
  'RailPauses1794700800016',
  `
      CREATE TABLE rail_pauses (
        id           uuid PRIMARY KEY,
        environment  text NOT NULL,
        paused_at    timestamptz NOT NULL,
        paused_by    text NOT NULL,
        reason       text,
        resumed_at   timestamptz,
        resumed_by   text,
        CONSTRAINT rail_pauses_environment_check CHECK (environment IN ('sandbox', 'live')),
        CONSTRAINT rail_pauses_resumed_check CHECK ((resumed_at IS NULL) = (resumed_by IS NULL))
      );
      -- One at a time in each environment.
      CREATE UNIQUE INDEX rail_pauses_open_unique ON rail_pauses (environment) WHERE resumed_at IS NULL;
    `,
)
