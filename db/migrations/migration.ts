// Defines a migration. Its statements never change after a release, because databases in use have run them.
import type { MigrationInterface, QueryRunner } from 'typeorm'

interface MigrationClass {
  /** TypeORM stores the name, and orders migrations by the number at its end. */
  readonly name: string
  new (): MigrationInterface
}

export function migration(name: string, ...statements: readonly string[]): MigrationClass {
  return classOf(name, 'in a transaction', async (runner) => {
    for (const statement of statements) await runner.query(statement)
  })
}

/**
 * Builds an index on a large table while others write to it. The build waits for every transaction that runs on the
 * table. It blocks none of them, so it waits without a time limit. Such a build cannot run in a transaction, so an
 * interrupted one leaves an invalid index, which the next run replaces.
 */
export function indexMigration(name: string, index: string, on: string): MigrationClass {
  const drop = `DROP INDEX CONCURRENTLY IF EXISTS ${index}`
  return classOf(name, 'without a transaction', async (runner) => {
    await runner.query('SET lock_timeout = 0')
    try {
      await runner.query(drop)
      await runner.query(`CREATE INDEX CONCURRENTLY ${index} ON ${on}`)
    } catch (error) {
      await runner.query('RESET lock_timeout').catch(() => undefined)
      await runner.query(drop).catch(() => undefined)
      throw error
    }
    await runner.query('RESET lock_timeout')
  })
}

function classOf(
  name: string,
  runs: 'in a transaction' | 'without a transaction',
  up: (runner: QueryRunner) => Promise<void>,
): MigrationClass {
  class Migration implements MigrationInterface {
    readonly name = name
    readonly transaction = runs === 'in a transaction'

    up(runner: QueryRunner): Promise<void> {
      return up(runner)
    }

    async down(): Promise<void> {
      throw new Error('Migrations only go forward.')
    }
  }
  return Object.defineProperty(Migration, 'name', { value: name })
}
