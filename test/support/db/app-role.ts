// The production roles: every story runs with the one of API and worker, which proves that its rights suffice.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

export const rolesFile = join(__dirname, '../../../deploy/roles.sql')
const password = 'app-of-tests'

/** The same database for the application, by the URL of its owner. */
export function asApplication(ownerUrl: string): Promise<string> {
  return asRole(ownerUrl, 'payouts_app', `ALTER ROLE payouts_app PASSWORD '${password}'`)
}

/** The same for an operator who may only look. */
export function asReader(ownerUrl: string): Promise<string> {
  const create = `CREATE ROLE reader_of_tests LOGIN PASSWORD '${password}' IN ROLE payouts_read`
  return asRole(ownerUrl, 'reader_of_tests', `DROP ROLE IF EXISTS reader_of_tests; ${create}`)
}

/** Runs the file of roles as the owner, and then the statement that gives one of them its password. */
async function asRole(ownerUrl: string, role: string, statement: string): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('BEGIN')
    // Roles belong to the whole server, where two files that alter one at once would get "tuple concurrently updated".
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
