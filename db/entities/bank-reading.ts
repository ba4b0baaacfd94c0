// The table of how far each bank's changed transfers were looked through, and its wallets read.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../domain/environment'
import { orNull, text, time, uuid } from './columns'

export interface StoredBankReading {
  readonly environment: Environment
  readonly readUntil: Date | null
  readonly walletsReadTo: string | null
}

export const bankReading = new EntitySchema<StoredBankReading>({
  name: 'BankReading',
  tableName: 'bank_readings',
  columns: { environment: { ...text, primary: true }, readUntil: orNull(time), walletsReadTo: orNull(uuid) },
  checks: [{ name: 'bank_readings_environment_check', expression: `environment IN ('sandbox', 'live')` }],
})
