// The production roles. In every story, the API and the worker use theirs, which proves that its privileges suffice.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

export const rolesFile = join(__dirname, '../../../deploy/roles.sql')
const password = 'app-of-tests'

/** Returns the URL of the same database for the application's role. */
export function asApplication(ownerUrl: string): Promise<string> {
  return asRole(ownerUrl, 'payouts_app', `ALTER ROLE payouts_app PASSWORD '${password}'`)
}

/** Returns the URL of the same database for an operator with read-only access. */
export function asReader(ownerUrl: string): Promise<string> {
  const create = `CREATE ROLE reader_of_tests LOGIN PASSWORD '${password}' IN ROLE payouts_read`
  return asRole(ownerUrl, 'reader_of_tests', `DROP ROLE IF EXISTS reader_of_tests; ${create}`)
}

/** Runs the roles file as the owner, and then the statement that sets the role's password. */
async function asRole(ownerUrl: string, role: string, statement: string): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('BEGIN')
    // All test files share the server's roles. Two files that alter the same role concurrently would get the error
    // "tuple concurrently updated".
    await client.query('LOCK TABLE pg_catalog.pg_authid IN SHARE ROW EXCLUSIVE MODE')
    await client.query(readFileSync(rolesFile, 'utf8'))
    await client.query(statement)
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
  const url = new URL(ownerUrl)
  url.username = role
  url.password = password
  return url.href
}
