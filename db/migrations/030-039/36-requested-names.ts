// A verified partner's new name waits in requested_name until an operator approves it.
import type { MigrationInterface, QueryRunner } from 'typeorm'

export class RequestedNames1794700800036 implements MigrationInterface {
  name = 'RequestedNames1794700800036'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE partners ADD COLUMN requested_name text;
      CREATE INDEX partners_requested_name_index ON partners (id) WHERE requested_name IS NOT NULL;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.')
  }
}
