// The table of accounts that the bank knows already, by a keyed hash of what was registered.
import { EntitySchema } from 'typeorm'
import { bytes, id, text, time } from '../../columns'

export interface StoredBankRecipient {
  readonly id: string
  readonly customerRef: string
  readonly detailsHash: Buffer
  readonly recipientRef: string
  readonly createdAt: Date
}

export const bankRecipient = new EntitySchema<StoredBankRecipient>({
  name: 'BankRecipient',
  tableName: 'bank_recipients',
  columns: { id, customerRef: text, detailsHash: bytes, recipientRef: text, createdAt: time },
})
