// The activity list, and the rate limit tokens that API processes have taken.
import { migration } from '../migration'

const activity = `
  -- No foreign key: it would look the partner up once more for every call, and partners are never deleted.
  CREATE TABLE activity (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partner_id   uuid NOT NULL,
    at           timestamptz NOT NULL,
    environment  text,
    action       text NOT NULL,
    changes      boolean NOT NULL,
    status       integer,
    made_by      text NOT NULL,
    detail       text,
    request_id   text,
    CONSTRAINT activity_environment_check CHECK (environment IN ('sandbox', 'live'))
  );
  CREATE INDEX activity_partner_index ON activity (partner_id, at DESC, id DESC);
  CREATE INDEX activity_read_index ON activity (at) WHERE NOT changes;
`

const rateLimits = `
  -- Losing a bucket in a crash gives a partner one fresh second, so it need not be written ahead.
  CREATE UNLOGGED TABLE rate_limits (
    bucket        text PRIMARY KEY,
    tokens_milli  bigint NOT NULL,
    at            timestamptz NOT NULL
  );
`

export const Activity1794700800005 = migration('Activity1794700800005', activity, rateLimits)
