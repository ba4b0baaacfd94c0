// Indexes of the activity list: security events, and the sandbox alone, which is all that a sandbox key sees.
import type { MigrationInterface, QueryRunner } from 'typeorm'

export class SecurityEvents1794700800037 implements MigrationInterface {
  name = 'SecurityEvents1794700800037'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX activity_security_index ON activity (partner_id, at DESC, id DESC)
        WHERE changes AND (action ~ '^(key|login|member|partner|session|verification)[.]'
          OR action ~ '[.]confirm$' OR (action = 'account.update' AND detail ~ '(billing|contact)_email'));
      CREATE INDEX activity_sandbox_index ON activity (partner_id, at DESC, id DESC) WHERE environment = 'sandbox';
      CREATE INDEX activity_sandbox_changes_index ON activity (partner_id, at DESC, id DESC)
        WHERE environment = 'sandbox' AND changes;
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.')
  }
}
