// The production roles: every story runs with the role of API and worker, which proves that its privileges suffice.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

export const rolesFile = join(__dirname, '../../../deploy/roles.sql')
const password = 'app-of-tests'

/** The URL of the same database for the application's role. */
export function asApplication(ownerUrl: string): Promise<string> {
  return asRole(ownerUrl, 'payouts_app', `ALTER ROLE payouts_app PASSWORD '${password}'`)
}

/** The URL of the same database for an operator with read-only access. */
export function asReader(ownerUrl: string): Promise<string> {
  const create = `CREATE ROLE reader_of_tests LOGIN PASSWORD '${password}' IN ROLE payouts_read`
  return asRole(ownerUrl, 'reader_of_tests', `DROP ROLE IF EXISTS reader_of_tests; ${create}`)
}

/** Runs the roles file as the owner, and then the statement that gives one role its password. */
async function asRole(ownerUrl: string, role: string, statement: string): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('BEGIN')
    // All test files share the server's roles, and two that alter one concurrently would get "tuple concurrently updated".
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
