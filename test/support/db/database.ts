// A new, migrated database for a test file. Copying it from the template takes a few milliseconds.
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { openDatabase } from '../../../db/data-source'
import type { Db } from '../../../db/database'
import { templateDatabase, testSystem, withDatabase } from '../jest/system'
import { opened } from '../opened'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

export async function createDatabase(): Promise<TestDatabase> {
  const name = `t_${randomBytes(6).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${templateDatabase} STRATEGY file_copy`)
  return { url: urlOf(name), drop: () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

/** Waits longer for a connection than our programs do, because the test machine may be busy. */
export function openDb(url: string, poolSize = 10): Promise<Db> {
  return openDatabase({ url, poolSize, onError: () => undefined, connectMs: 60_000 })
}

/** An open database for this test file. */
export function useDatabase(poolSize = 10): Db & { readonly url: string } {
  return opened(
    async () => {
      const database = await createDatabase()
      return { ...(await openDb(database.url, poolSize)), ...database }
    },
    async (db) => {
      await db.close()
      await db.drop()
    },
  )
}

function urlOf(database: string): string {
  return withDatabase(testSystem().databaseUrl, database)
}

async function administer(sql: string): Promise<void> {
  const client = new Client({ connectionString: testSystem().databaseUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
