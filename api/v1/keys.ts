// GET /v1/keys: the partner's API keys of both environments, without their secrets (§2, §5).
import { Type } from 'typebox'
import { listApiKeys } from '../../db/api-keys'
import type { Route } from '../route'
import { Answer, DateTime, EnvironmentName, ListOf, Nullable, Uuid } from '../schema'
import { presentList } from './list'
import { presentKey } from './present-key'

const ApiKey = Answer(
  {
    id: Uuid(),
    environment: EnvironmentName,
    key_prefix: Type.String({ description: 'The start of the key only.' }),
    label: Nullable(Type.String()),
    created_at: DateTime(),
    last_used_at: Nullable(DateTime()),
    revoked_at: Nullable(DateTime()),
  },
  { title: 'ApiKey' },
)

export const listKeys: Route = {
  method: 'GET',
  path: '/v1/keys',
  operationId: 'listKeys',
  tag: 'Account',
  summary: 'API keys, without their secrets',
  description: 'All keys of both environments, newest first, revoked ones included.',
  access: { by: 'key', action: 'key.list', partner: 'any' },
  reply: {
    status: 200,
    description: 'The keys.',
    schema: ListOf(ApiKey),
    example: {
      object: 'list',
      data: [
        {
          id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a57',
          environment: 'sandbox',
          key_prefix: 'kp_sandbox_4f9a1c02',
          label: 'Checkout',
          created_at: '2026-11-16T09:00:00.000Z',
          last_used_at: '2026-11-16T09:30:00.000Z',
          revoked_at: null,
        },
      ],
      has_more: false,
      next_cursor: null,
    },
  },
  errors: [],
  handle: async ({ caller }, { db, activityLog }) => {
    // Uses are written in batches; whoever looks at them sees the exact ones.
    await activityLog.flush()
    const keys = await listApiKeys(db, caller.partner.id)
    return { body: presentList(keys.map(presentKey)) }
  },
}
