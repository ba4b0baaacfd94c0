// Defines a migration. Its statements never change after a release, because databases in use have run them.
import type { MigrationInterface, QueryRunner } from 'typeorm'

interface MigrationClass {
  /** TypeORM stores the name, and orders migrations by the number at its end. */
  readonly name: string
  new (): MigrationInterface
}

export function migration(name: string, ...statements: readonly string[]): MigrationClass {
  class Migration implements MigrationInterface {
    readonly name = name

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement)
    }

    async down(): Promise<void> {
      throw new Error('Migrations only go forward.')
    }
  }
  return Object.defineProperty(Migration, 'name', { value: name })
}
