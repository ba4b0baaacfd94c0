// The entities have exactly the columns that the migrations create. Constraints and indexes are in db/schema.sql.
import { expect, test } from '@jest/globals'
import { DataSource, EntitySchema, EntitySchemaOptions } from 'typeorm'
import { SnakeNaming } from '../../db/data-source'
import { entities } from '../../db/entities'
import { useDatabase } from '../support/db/database'
import { createEmptyDatabase } from '../support/db/empty-database'

const db = useDatabase(2)

test('TypeORM finds no column to change in a migrated database', async () => {
  expect(await changesTowards(entities)).toEqual([])
})

test('every table has an entity', async () => {
  const rows = await db.sql<{ name: string }>`SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`

  const tables = rows.map((row) => row.name).filter((name) => name !== 'migrations')
  expect(new Set(tables)).toEqual(new Set(entities.map((entity) => entity.options.tableName)))
})

test.each([
  ['lacks a column', { forget: 'label' }, /DROP COLUMN "label"/],
  ['has an extra column', { add: 'nickname' }, /ADD "nickname"/],
  ['declares a nullable column as required', { require: 'label' }, /"label" SET NOT NULL/],
] as const)('a difference is found when an entity %s', async (_what, fault, expected) => {
  const changes = await changesTowards(
    entities.map((entity) => (entity.options.name === 'ApiKey' ? spoil(entity, fault) : entity)),
  )

  expect(changes.join('\n')).toMatch(expected)
})

test('tables created from the entities have the columns and defaults of the migrated ones', async () => {
  const empty = await createEmptyDatabase()
  const fromEntities = dataSourceOf(empty.url, entities)
  await fromEntities.initialize()
  try {
    await fromEntities.synchronize()

    expect(await describeTables(fromEntities)).toEqual(await describeTables(db.dataSource))
  } finally {
    await fromEntities.destroy()
    await empty.drop()
  }
})

interface Fault {
  readonly forget?: string
  readonly add?: string
  readonly require?: string
}

function spoil(entity: (typeof entities)[number], { forget, add, require }: Fault): EntitySchema {
  const columns: Record<string, object> = { ...entity.options.columns }
  if (forget) delete columns[forget]
  if (add) columns[add] = { type: 'text' }
  if (require) columns[require] = { type: 'text', nullable: false }
  return new EntitySchema<object>(Object.assign(new EntitySchemaOptions<object>(), entity.options, { columns }))
}

async function changesTowards(wanted: readonly EntitySchema[]): Promise<string[]> {
  const dataSource = dataSourceOf(db.url, wanted)
  await dataSource.initialize()
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log()
    return upQueries.map((change) => change.query).filter((query) => !aboutKeys.test(query))
  } finally {
    await dataSource.destroy()
  }
}

/** Statements about indexes and constraints, which only the migrations define. */
const aboutKeys = /^(DROP INDEX|CREATE (UNIQUE )?INDEX|ALTER TABLE \S+ (DROP|ADD) CONSTRAINT)/

function dataSourceOf(url: string, wanted: readonly EntitySchema[]): DataSource {
  const namingStrategy = new SnakeNaming()
  return new DataSource({ type: 'postgres', url, entities: [...wanted], namingStrategy, installExtensions: false })
}

// Excludes the features that TypeORM cannot express: identity columns and UNLOGGED.
async function describeTables(dataSource: DataSource): Promise<string[]> {
  const rows: { line: string }[] = await dataSource.query(`
    SELECT 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' null: ' || is_nullable
      || ' default: ' || CASE WHEN is_identity = 'YES' OR column_default LIKE 'nextval%' THEN 'sequence'
        ELSE coalesce(trim('''' FROM replace(column_default, '''::bigint', '')), 'none') END AS line
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations'
      AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = format('public.%I', table_name)::regclass)
    ORDER BY 1`)
  return rows.map((row) => row.line)
}
