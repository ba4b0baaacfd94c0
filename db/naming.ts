// How entities name what they stand for: snake_case columns, and keys after their table and column.
import { DefaultNamingStrategy, type Table } from 'typeorm'

export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string): string {
    return customName || propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return `${this.getTableName(table)}_${columnNames.join('_').replace(/_id$/, '')}_fkey`
  }
}
