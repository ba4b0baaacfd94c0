// The table of how far each bank's changed transfers were looked through.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../domain/environment'
import { text, time } from './columns'

export interface StoredBankReading {
  readonly environment: Environment
  readonly readUntil: Date
}

export const bankReading = new EntitySchema<StoredBankReading>({
  name: 'BankReading',
  tableName: 'bank_readings',
  columns: { environment: { ...text, primary: true }, readUntil: time },
  checks: [{ name: 'bank_readings_environment_check', expression: `environment IN ('sandbox', 'live')` }],
})
