// The table of API keys, which holds a keyed hash of each and never the key.
import { EntitySchema } from 'typeorm'
import { bytes, id, idOf, orNull, text, time } from '../../columns'
import type { ApiKeyRow } from '../api-keys'

export interface StoredApiKey extends ApiKeyRow {
  readonly digest: Buffer
  readonly digestKeyId: string
  readonly createdBy: string
  readonly revokedBy: string | null
}

export const apiKey = new EntitySchema<StoredApiKey>({
  name: 'ApiKey',
  tableName: 'api_keys',
  columns: {
    id,
    partnerId: idOf('Partner'),
    environment: text,
    keyPrefix: text,
    label: orNull(text),
    digest: bytes,
    digestKeyId: text,
    createdBy: text,
    createdAt: time,
    lastUsedAt: orNull(time),
    revokedAt: orNull(time),
    revokedBy: orNull(text),
  },
})
