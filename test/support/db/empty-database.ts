// An empty database without any migration, on the same server as the other test databases.
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { createDatabase } from './database'

export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const migrated = await createDatabase()
  const name = `empty_${randomBytes(6).toString('hex')}`
  await onServerOf(migrated.url, `CREATE DATABASE ${name} TEMPLATE template0`)
  const url = new URL(migrated.url)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: async () => {
      await onServerOf(migrated.url, `DROP DATABASE ${name} WITH (FORCE)`)
      await migrated.drop()
    },
  }
}

async function onServerOf(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
