// Changes the database as a superuser with the triggers disabled. The proof must find such changes.
import type { Db } from '../../../db/database'

export async function withoutTriggers(db: Db, sql: string, values: readonly unknown[] = []): Promise<void> {
  await db.dataSource.transaction(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    // On a busy machine, changing many rows takes longer than the API's statement timeout.
    await tx.query('SET LOCAL statement_timeout = 0')
    await tx.query(sql, [...values])
  })
}
