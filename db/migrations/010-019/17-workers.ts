// The list of worker processes: which there are, whether they live, and who asked one to take nothing new.
import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Workers1794700800017 implements MigrationInterface {
  name = 'Workers1794700800017'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.')
  }
}
