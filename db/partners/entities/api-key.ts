// The table of API keys, which holds a keyed hash of each and never the key.
import { EntitySchema } from 'typeorm'
import type { Environment } from '../../../domain/environment'
import { bytes, id, idOf, orNull, text, time } from '../../columns'

export interface ApiKeyRow {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly keyPrefix: string
  readonly label: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

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
