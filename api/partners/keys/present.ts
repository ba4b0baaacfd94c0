// An API key as the API and the ops CLI show it: its prefix, never its secret.
import type { ApiKeyRow } from '../../../db/partners/api-keys'

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
