// Drops the SQL functions audit_hash(). The sealer and the verifier hash rows without them (db/controls/audit/rows.ts).
import type { MigrationInterface, QueryRunner } from 'typeorm'

export class NoAuditHash1794700800038 implements MigrationInterface {
  name = 'NoAuditHash1794700800038'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION audit_hash(ledger_sets);
      DROP FUNCTION audit_hash(ledger_entries);
      DROP FUNCTION audit_hash(charges);
      DROP FUNCTION audit_hash(activity);
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.')
  }
}
