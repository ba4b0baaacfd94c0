// The production role of API and worker: every story runs with it, which proves that its rights suffice.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

export const rolesFile = join(__dirname, '../../../deploy/roles.sql')
const password = 'app-of-tests'

/** The same database for the application, by the URL of its owner. */
export async function asApplication(ownerUrl: string): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('BEGIN')
    // Roles belong to the whole server, where two files that alter one at once would get "tuple concurrently updated".
    await client.query('LOCK TABLE pg_catalog.pg_authid IN SHARE ROW EXCLUSIVE MODE')
    await client.query(readFileSync(rolesFile, 'utf8'))
    await client.query(`ALTER ROLE payouts_app PASSWORD '${password}'`)
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
  const url = new URL(ownerUrl)
  url.username = 'payouts_app'
  url.password = password
  return url.href
}
