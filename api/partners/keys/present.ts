// An API key as the API and the ops CLI show it: its prefix, never its secret.
import { Type } from 'typebox'
import type { ApiKeyRow } from '../../../db/partners/api-keys'
import { Component, DateTime, EnvironmentName, Nullable, Uuid } from '../../http/schema'

export const keyProperties = {
  id: Uuid(),
  environment: EnvironmentName,
  key_prefix: Type.String({ description: 'The first characters of the key.' }),
  label: Nullable(Type.String()),
  created_at: DateTime(),
}

export const ApiKey = Component('ApiKey', {
  ...keyProperties,
  last_used_at: Nullable(DateTime()),
  revoked_at: Nullable(DateTime()),
})

export function presentKey(key: ApiKeyRow) {
  return {
    id: key.id,
    environment: key.environment,
    key_prefix: key.keyPrefix,
    label: key.label,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
