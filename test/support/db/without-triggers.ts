// Changes the database as a superuser with the triggers off. The proof must notice such changes.
import type { Db } from '../../../db/database'

export async function withoutTriggers(db: Db, sql: string, values: readonly unknown[] = []): Promise<void> {
  await db.dataSource.transaction(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(sql, [...values])
  })
}
