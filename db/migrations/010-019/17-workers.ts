// The registry of worker processes, with their heartbeats and the operators who asked one to drain.
import { migration } from '../migration'

export const Workers1794700800017 = migration(
  'Workers1794700800017',
  `
      CREATE TABLE workers (
        id           text PRIMARY KEY,
        host         text NOT NULL,
        pid          integer NOT NULL,
        version      text NOT NULL,
        task_queues  text[] NOT NULL,
        started_at   timestamptz NOT NULL,
        seen_at      timestamptz NOT NULL,
        draining_at  timestamptz,
        asked_by     text,
        drained_at   timestamptz,
        ended_at     timestamptz,
        -- Nobody asks for what has begun by a signal, and nothing is drained that was not draining.
        CONSTRAINT workers_draining_check CHECK (draining_at IS NOT NULL OR (asked_by IS NULL AND drained_at IS NULL))
      );
    `,
)
