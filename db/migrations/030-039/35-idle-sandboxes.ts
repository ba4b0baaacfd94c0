// The proof leaves out sandboxes that are idle, and records which.
import type { MigrationInterface, QueryRunner } from 'typeorm'

export class IdleSandboxes1794700800035 implements MigrationInterface {
  name = 'IdleSandboxes1794700800035'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE proofs DROP CONSTRAINT proofs_outcome_check;
      ALTER TABLE proofs
        ADD CONSTRAINT proofs_outcome_check CHECK
          (outcome IN ('equal', 'drift', 'busy', 'no_answer', 'no_bank', 'too_long', 'failed', 'idle'));
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.')
  }
}
