// POST /v1/keys and /v1/keys/{id}/revoke: admins create API keys, whose secret is shown once, and revoke them.
import { type Static, Type } from 'typebox'
import type { Tx } from '../../../db/database'
import { createApiKey, revokeApiKey } from '../../../db/partners/api-keys'
import type { PersonCaller } from '../../../db/sign-in/callers'
import { type Environment, environments } from '../../../domain/environment'
import { keysPerPartnerAndHour, labelMaxLength } from '../../../domain/limits'
import { recordChange } from '../../controls/record-change'
import type { ApiDeps } from '../../deps'
import { requireHourly } from '../../http/callers/rate-limiter'
import { ApiError } from '../../http/errors'
import { bodyOf, paramsOf } from '../../http/requests/read-request'
import { type ApiRequest, ok, personOf, post, type Reply } from '../../http/route'
import { Body, Component, IdParams, Nullable, OneOf, Pattern, Uuid, VisibleLine } from '../../http/schema'
import { checks } from '../../http/steps'
import { type Confirmable, ConfirmCode, changeConfirmed, confirmRoute, noCodeNeeded } from '../../sign-in/confirm-codes'
import { tellAdmins } from '../tell-admins'
import { keyProperties } from './present'

const keyFields = {
  environment: OneOf(environments),
  label: Type.Optional(Nullable(VisibleLine({ maxLength: labelMaxLength, description: 'The purpose of the key.' }))),
}

const KeyToConfirm = Body('KeyToConfirm', keyFields)

const NewKey = Body('NewKey', {
  ...keyFields,
  confirm_code: ConfirmCode('Required for a live key: the code from POST /v1/keys/confirm-codes.'),
})

const KeyCreated = Component('KeyCreated', {
  ...keyProperties,
  secret: Pattern('^kp_(sandbox|live)_[a-f0-9]{48}$', { description: 'The key itself. It is shown only once.' }),
  note: Type.String(),
})

const note = 'The secret is shown only once: store it now.'

const exampleKey: Static<typeof KeyCreated> = {
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a57',
  environment: 'sandbox',
  key_prefix: 'kp_sandbox_4f9a1c02',
  label: 'Checkout',
  created_at: '2026-11-16T09:00:00.000Z',
  secret: `kp_sandbox_4f9a1c02${'0'.repeat(40)}`,
  note,
}

export const createKeyRoute = post('/v1/keys', 'createKey', {
  steps: [...checks('key.create', { by: 'person', partner: 'active' }, { body: NewKey }), createKey],
  summary: 'Create an API key',
  description:
    'Only this response contains the secret. Each environment allows 5 keys, and 30 new ones an hour. A live key needs approved ' +
    'verification and a `confirm_code`.',
  bodyExample: { environment: 'sandbox', label: 'Checkout' },
  reply: { status: 201, description: 'The key, with its secret.', schema: KeyCreated, example: exampleKey },
  errors: ['key_limit_reached', 'verification_required', 'invalid_confirm_code'],
})

async function createKey(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { environment, label = null, confirm_code } = bodyOf<typeof NewKey>(request)
  const { email: by, partner } = personOf(request)
  // Check this first, because no code is emailed before verification is approved.
  if (environment === 'live') requireVerified(partner)
  const needed = environment === 'live' ? boundToKey(environment, label) : null
  const made = { createdBy: by, at: deps.clock.now(), keyring: deps.keyring }
  const create = async (tx: Tx) => {
    // A key counts towards the limit only after its code is checked, and separately for each environment. So a stolen
    // session cannot use up the hourly limit for live keys.
    await requireHourly(deps.rateLimiter, `keys/${partner.id}/${environment}`, keysPerPartnerAndHour, tx)
    const result = await createApiKey(tx, { partnerId: partner.id, environment, label, ...made })
    if (result.outcome === 'limit_reached') throw new ApiError('key_limit_reached')
    if (result.outcome === 'partner_closed') throw new ApiError('partner_not_active')
    if (result.outcome === 'verification_required') throw new ApiError('verification_required')
    const change = { partnerId: partner.id, by, action: 'key.create', environment, detail: result.key.keyPrefix }
    await recordChange(tx, { ...change, status: 201 }, request, deps)
    const happened = { what: 'live_key', keyPrefix: result.key.keyPrefix, label } as const
    if (environment === 'live') await tellAdmins(tx, { partnerId: partner.id, by, happened }, deps)
    return result
  }
  const created = await changeConfirmed({ needed, code: confirm_code }, create, request, deps)
  const { id, keyPrefix, createdAt } = created.key
  const shown = { id, environment, key_prefix: keyPrefix, label, created_at: createdAt.toISOString() }
  return { status: 201, body: { ...shown, secret: created.secret, note }, location: '/v1/keys', activity: 'written' }
}

export const createKeyConfirmCodeRoute = confirmRoute(createKeyRoute, 'key.confirm', confirmKey, {
  body: KeyToConfirm,
  summary: 'Send a code to create a live API key',
  bodyExample: { environment: 'live', label: 'Checkout' },
  errors: ['invalid_state', 'verification_required'],
})

async function confirmKey(request: ApiRequest): Promise<Confirmable> {
  const { environment, label = null } = bodyOf<typeof KeyToConfirm>(request)
  if (environment === 'sandbox') throw noCodeNeeded('A sandbox key needs no code.', { status: 'sandbox' })
  requireVerified(personOf(request).partner)
  return {
    bound: boundToKey(environment, label),
    mail: { what: 'live_key', label },
    activity: { environment, detail: label ?? 'no label' },
  }
}

function requireVerified({ verificationStatus }: PersonCaller['partner']): void {
  if (verificationStatus !== 'approved') throw new ApiError('verification_required')
}

function boundToKey(environment: Environment, label: string | null) {
  return { action: 'key.create', fields: { environment, label } }
}

const KeyRevoked = Component('KeyRevoked', { id: Uuid(), revoked: Type.Literal(true) })

export const revokeKeyRoute = post('/v1/keys/:id/revoke', 'revokeKey', {
  // Revoking a key can only stop payments, so a suspended partner may do it too.
  steps: [...checks('key.revoke', { by: 'person', partner: 'any' }, { params: IdParams }), revokeKey],
  summary: 'Revoke an API key',
  description:
    'Takes effect with the next request. A revoked key cannot be restored. Payouts that it created continue.',
  reply: ok('The key no longer works.', KeyRevoked, { id: exampleKey.id, revoked: true }),
  errors: ['invalid_state'],
})

async function revokeKey(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const id = paramsOf<typeof IdParams>(request).id.toLowerCase()
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
}
