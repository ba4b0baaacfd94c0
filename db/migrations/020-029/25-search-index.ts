// The index of searches without the month: a search asks it once for all months, which is faster for rare terms.
import type { MigrationInterface, QueryRunner } from 'typeorm'

export class SearchIndex1794700800025 implements MigrationInterface {
  name = 'SearchIndex1794700800025'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX payouts_search_index;
      CREATE INDEX payouts_search_index ON payouts USING gin (partner_id,
          lower(coalesce(reference, '') || chr(10) || coalesce(recipient_name, '')) gin_trgm_ops)
        WITH (fastupdate = off)
        WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL);
    `)
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.')
  }
}
