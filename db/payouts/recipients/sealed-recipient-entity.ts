// The table of sealed recipients, one per payout.
import { EntitySchema } from 'typeorm'
import { bytes, idOf, text } from '../../columns'

export interface SealedRecipientRow {
  readonly payoutId: string
  readonly keyId: string
  readonly sealed: Buffer
}

export const sealedRecipient = new EntitySchema<SealedRecipientRow>({
  name: 'SealedRecipient',
  tableName: 'sealed_recipients',
  columns: { payoutId: { ...idOf('Payout'), primary: true }, keyId: text, sealed: bytes },
})
