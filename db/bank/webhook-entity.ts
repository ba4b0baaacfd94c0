// The table of where each bank sends its events, one row for each environment.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../domain/environment'
import { text, time } from '../columns'

export interface StoredBankWebhook {
  readonly environment: Environment
  readonly url: string
  readonly webhookRef: string
  readonly publicKey: string
  readonly createdAt: Date
}

export const bankWebhook = new EntitySchema<StoredBankWebhook>({
  name: 'BankWebhook',
  tableName: 'bank_webhooks',
  columns: { environment: { ...text, primary: true }, url: text, webhookRef: text, publicKey: text, createdAt: time },
})
