// GET /v1/keys: the partner's API keys, without their secrets. A sandbox key sees only sandbox keys.
import { Type } from 'typebox'
import { findApiKey, listApiKeyPage } from '../../../db/partners/api-keys'
import { seesLive } from '../../../db/sign-in/callers'
import type { Environment } from '../../../domain/environment'
import type { ApiDeps } from '../../deps'
import { listShape, pageQuery, pageReply } from '../../http/list'
import { queryOf } from '../../http/requests/read-request'
import { type ApiRequest, get, type Reply } from '../../http/route'
import { EnvironmentParameter, OneOf, Strict } from '../../http/schema'
import { checks } from '../../http/steps'
import { ApiKey, presentKey } from './present'

const Query = Strict({
  environment: EnvironmentParameter(
    'For signed-in users: lists only the keys of `sandbox` or of `live`. If omitted, lists both. Ignored for API keys.',
  ),
  ...pageQuery(),
  status: Type.Optional(
    OneOf(['active', 'revoked'], {
      description: 'Only active keys, or only revoked ones.',
      'x-hint': 'active or revoked',
    }),
  ),
})

export const listKeysRoute = get('/v1/keys', 'listKeys', {
  steps: [...checks('key.list', { by: 'key', partner: 'any' }, { query: Query }), listKeys],
  summary: 'List API keys',
  description:
    'Newest first, including revoked ones. A live key and the dashboard see the keys of both environments. A sandbox key sees those of the sandbox.',
  reply: listShape('A page of keys.', ApiKey, [
    {
      id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a57',
      environment: 'sandbox',
      key_prefix: 'kp_sandbox_4f9a1c02',
      label: 'Checkout',
      created_at: '2026-11-16T09:00:00.000Z',
      last_used_at: '2026-11-16T09:30:00.000Z',
      revoked_at: null,
    },
  ]),
  errors: ['invalid_request'],
})

async function listKeys(request: ApiRequest, { db, activityLog }: ApiDeps): Promise<Reply> {
  // Key uses are written in batches. Write them now, so that the list is exact.
  await activityLog.flush()
  const query = queryOf<typeof Query>(request)
  const shown = { partnerId: request.caller.partner.id, environment: shownEnvironment(request, query) }
  return pageReply(query, {
    find: (id) => findApiKey(db, shown, id),
    read: (page) => listApiKeyPage(db, { ...shown, status: query.status ?? null }, page),
    cursorOf: ({ id }) => id,
    present: presentKey,
  })
}

/** Null means both environments. */
function shownEnvironment({ caller }: ApiRequest, query: { environment?: unknown }): Environment | null {
  if (!seesLive(caller)) return 'sandbox'
  return caller.by === 'person' && query.environment !== undefined ? caller.environment : null
}
