// GET /readyz: the API is ready only with a schema that its build supports.
import { expect, test } from '@jest/globals'
import { migrations } from '../../../db/migrations'
import { useApi } from '../../support/api/client'
import { aClock } from '../../support/api/fixtures'

const clock = aClock('2026-11-16T12:00:00Z')
const api = useApi({ clock })

/** Checks readiness after the cached result of the previous check has expired. */
async function ready(): Promise<{ status: number; body: unknown }> {
  clock.set(new Date(clock.now().getTime() + 1_000).toISOString())
  const response = await fetch(`${api.url}/readyz`)
  return { status: response.status, body: await response.json() }
}

test('a database that is one migration behind makes the API unready until the migration has run', async () => {
  const last = migrations.at(-1)?.name ?? ''
  const remembered = await api.db.dataSource.query('DELETE FROM migrations WHERE name = $1 RETURNING timestamp, name', [
    last,
  ])

  const behind = await ready()
  const [[{ timestamp, name }]] = remembered
  await api.db.dataSource.query('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [timestamp, name])
  const migrated = await ready()

  expect(behind).toEqual({
    status: 503,
    body: {
      status: 'unavailable',
      postgres: 'ok',
      schema: 'behind',
      temporal: 'ok',
      reasons: [`The database lacks ${last}: run \`npm run migrate\`.`],
    },
  })
  expect(migrated).toEqual({ status: 200, body: { status: 'ok', postgres: 'ok', schema: 'ok', temporal: 'ok' } })
})

test('a database migrated by a newer version keeps the API ready', async () => {
  await api.db.dataSource.query(`INSERT INTO migrations (timestamp, name) VALUES (9999, 'Newer9999')`)

  expect((await ready()).status).toBe(200)
})

test('a database without any migration makes the API unready', async () => {
  await api.db.dataSource.query('ALTER TABLE migrations RENAME TO migrations_elsewhere')

  const { status, body } = await ready()

  await api.db.dataSource.query('ALTER TABLE migrations_elsewhere RENAME TO migrations')
  expect([status, body]).toEqual([503, expect.objectContaining({ schema: 'behind' })])
})
