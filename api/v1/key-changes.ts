// POST /v1/keys and /v1/keys/{id}/revoke: admins make keys, whose secret is shown once, and switch them off at once (§5).
import { type Static, Type } from 'typebox'
import { createApiKey, revokeApiKey } from '../../db/api-keys'
import { environments } from '../../domain/environment'
import { keysPerPartnerAndHour, labelMaxLength } from '../../domain/limits'
import { ApiError } from '../errors'
import { requireHourly } from '../rate-limiter'
import { personOf, type Route } from '../route'
import { Answer, DateTime, EnvironmentName, Name, Nullable, OneOf, Pattern, Strict, Uuid } from '../schema'
import { recordChange } from './change'
import { tellAdmins } from './tell-admins'
import { bodyOf, paramsOf } from './typed'

const NewKey = Strict(
  {
    environment: OneOf(environments),
    label: Type.Optional(
      Nullable(Name({ maxLength: labelMaxLength, description: 'What it is for.', 'x-hint': '1 to 60 characters' })),
    ),
  },
  { title: 'NewKey' },
)

const KeyCreated = Answer(
  {
    id: Uuid(),
    environment: EnvironmentName,
    key_prefix: Type.String({ description: 'The start of the key only.' }),
    label: Nullable(Type.String()),
    created_at: DateTime(),
    secret: Pattern('^kp_(sandbox|live)_[a-f0-9]{48}$', { description: 'The key itself, shown only this once.' }),
    note: Type.String(),
  },
  { title: 'KeyCreated' },
)

const note = 'The secret is shown only this once: store it now.'

const exampleKey: Static<typeof KeyCreated> = {
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a57',
  environment: 'sandbox',
  key_prefix: 'kp_sandbox_4f9a1c02',
  label: 'Checkout',
  created_at: '2026-11-16T09:00:00.000Z',
  secret: `kp_sandbox_4f9a1c02${'0'.repeat(40)}`,
  note,
}

export const createKey: Route = {
  method: 'POST',
  path: '/v1/keys',
  operationId: 'createKey',
  tag: 'Account',
  summary: 'Make an API key',
  description:
    'The secret is in this answer and nowhere else. At most 5 keys per environment, and 30 new ones an hour; live ones once ' +
    'verification is approved.',
  access: { by: 'person', action: 'key.create', partner: 'active' },
  body: { schema: NewKey, example: { environment: 'sandbox', label: 'Checkout' } },
  reply: { status: 201, description: 'The key, with its secret.', schema: KeyCreated, example: exampleKey },
  errors: ['key_limit_reached', 'verification_required'],
  handle: async (request, deps) => {
    const { environment, label = null } = bodyOf<typeof NewKey>(request)
    const { email: by, partner } = personOf(request)
    await requireHourly(deps.rateLimiter, `keys/${partner.id}`, keysPerPartnerAndHour)
    const made = { createdBy: by, at: deps.clock.now(), keyring: deps.keyring }
    const created = await deps.db.transaction(async (tx) => {
      const result = await createApiKey(tx, { partnerId: partner.id, environment, label, ...made })
      if (result.outcome === 'created') {
        const change = { partnerId: partner.id, by, action: 'key.create', environment, detail: result.key.keyPrefix }
        await recordChange(tx, { ...change, status: 201 }, request, deps)
        const happened = { what: 'live_key', keyPrefix: result.key.keyPrefix, label } as const
        if (environment === 'live') await tellAdmins(tx, { partnerId: partner.id, by, happened }, deps)
      }
      return result
    })
    deps.mails.wake()
    if (created.outcome === 'limit_reached') throw new ApiError('key_limit_reached')
    if (created.outcome === 'partner_closed') throw new ApiError('partner_not_active')
    if (created.outcome === 'verification_required') throw new ApiError('verification_required')
    const { id, keyPrefix, createdAt } = created.key
    const shown = { id, environment, key_prefix: keyPrefix, label, created_at: createdAt.toISOString() }
    return { status: 201, body: { ...shown, secret: created.secret, note }, location: '/v1/keys', activity: 'written' }
  },
}

const Params = Answer({ id: Uuid() })
const KeyRevoked = Answer({ id: Uuid(), revoked: Type.Literal(true) }, { title: 'KeyRevoked' })

export const revokeKey: Route = {
  method: 'POST',
  path: '/v1/keys/:id/revoke',
  operationId: 'revokeKey',
  tag: 'Account',
  summary: 'Switch a key off, at once and for good',
  // Stops money, so a suspended partner may do it too.
  access: { by: 'person', action: 'key.revoke', partner: 'any' },
  params: Params,
  reply: {
    status: 200,
    description: 'The key no longer opens anything.',
    schema: KeyRevoked,
    example: { id: exampleKey.id, revoked: true },
  },
  errors: ['invalid_state'],
  handle: async (request, deps) => {
    const id = paramsOf<typeof Params>(request).id.toLowerCase()
    const { email: by, partner } = personOf(request)
    const revoked = await deps.db.transaction(async (tx) => {
      const order = { partnerId: partner.id, id, revokedBy: by, at: deps.clock.now() }
      const result = await revokeApiKey(tx, order)
      if (result.outcome === 'revoked') {
        const { environment, keyPrefix: detail } = result.key
        const change = { partnerId: partner.id, by, action: 'key.revoke', environment, detail }
        await recordChange(tx, { ...change, status: 200 }, request, deps)
      }
      return result
    })
    if (revoked.outcome === 'not_found') throw new ApiError('not_found')
    if (revoked.outcome === 'already_revoked') throw new ApiError('invalid_state', { details: { status: 'revoked' } })
    return { body: { id, revoked: true }, activity: 'written' }
  },
}
