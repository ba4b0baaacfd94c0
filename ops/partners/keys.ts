// Creates, lists and revokes a partner's API keys.
import { presentKey } from '../../api/partners/keys/present'
import { type ApiKeyRow, createApiKey, listApiKeys, revokeApiKey } from '../../db/partners/api-keys'
import { keysPerEnvironment } from '../../domain/limits'
import { type Command, defineCommand, done, refused } from '../command'
import { type Change, recordChange } from '../connect'
import { environment, keyIdOrPrefix, label, optional, required } from '../options'
import { fields, table } from '../print'
import { onePartner, thePartner, withPartner } from './by-slug'

const create = defineCommand('key create', {
  about: `Creates an API key and shows its secret once. At most ${keysPerEnvironment} per environment; live keys need an approved verification.`,
  options: {
    partner: thePartner,
    environment: required(environment, 'The environment of the key.'),
    label: optional(label, 'Its purpose.'),
  },
  example: ['--partner', 'acme', '--environment', 'sandbox', '--label', 'order service'],
  run: withPartner(async (ops, partner, given) => {
    const { db, clock, madeBy } = ops
    const order = { partnerId: partner.id, environment: given.environment, label: given.label ?? null }
    const made = { createdBy: madeBy, at: clock.now(), keyring: ops.keyring() }

    const created = await db.transaction(async (tx) => {
      const result = await createApiKey(tx, { ...order, ...made })
      if (result.outcome === 'created') await recordChange(ops, tx, changeOf('key.create', result.key, made.at))
      return result
    })

    if (created.outcome === 'limit_reached') {
      const sentence = `${partner.slug} already has ${keysPerEnvironment} ${given.environment} keys: revoke one first.`
      return refused('key_limit_reached', sentence)
    }
    if (created.outcome === 'partner_closed') {
      return refused('invalid_state', `${partner.slug} is closed and cannot get new keys.`, { status: 'closed' })
    }
    if (created.outcome === 'verification_required') {
      const status = partner.verificationStatus
      const sentence = `${partner.slug} can have live keys once its verification is approved; it is ${status}.`
      return refused('verification_required', sentence, { status })
    }
    return newKey(created.key, created.secret)
  }),
})

const list = defineCommand('key list', {
  about: "Shows a partner's keys without secrets, newest first, including revoked ones.",
  ...onePartner,
  run: withPartner(async ({ db }, partner) => {
    const keys = (await listApiKeys(db, partner.id)).map(presentKey)
    const header = ['ID', 'ENVIRONMENT', 'PREFIX', 'LABEL', 'CREATED', 'LAST USED', 'REVOKED']
    // The order of the fields is the order of the columns.
    const rows = keys.map((key) => Object.values(key))
    return done({ object: 'list', data: keys }, keys.length > 0 ? table(header, rows) : `${partner.slug} has no keys.`)
  }),
})

const revoke = defineCommand('key revoke', {
  about: 'Revokes a key immediately and permanently.',
  options: {
    partner: thePartner,
    key: required(keyIdOrPrefix, 'The key; the start of a prefix is enough if it is unique.'),
  },
  example: ['--partner', 'acme', '--key', 'kp_sandbox_1a2b3c4d'],
  run: withPartner(async (ops, partner, given) => {
    const { db, clock, madeBy } = ops
    const keys = await listApiKeys(db, partner.id)
    const [key, ...others] = keys.filter((each) => isNamed(each, given.key))
    if (key === undefined) return refused('not_found', `${partner.slug} has no such key.`)
    if (others.length > 0) {
      const sentence = `${others.length + 1} keys of ${partner.slug} have that prefix: use the ID in \`key list\`.`
      return refused('invalid_request', sentence)
    }

    const at = clock.now()
    const revoked = await db.transaction(async (tx) => {
      const result = await revokeApiKey(tx, { partnerId: partner.id, id: key.id, revokedBy: madeBy, at })
      if (result.outcome === 'revoked') await recordChange(ops, tx, changeOf('key.revoke', result.key, at))
      return result
    })

    if (revoked.outcome === 'revoked') {
      return done({ id: key.id, revoked: true }, `The key ${key.keyPrefix} of ${partner.slug} is revoked.`)
    }
    return refused('invalid_state', `The key ${key.keyPrefix} is already revoked.`, { status: 'revoked' })
  }),
})

export const commands: readonly Command[] = [create, list, revoke]

function changeOf(action: string, { partnerId, environment, keyPrefix }: ApiKeyRow, at: Date): Change {
  return { partnerId, at, environment, action, detail: keyPrefix }
}

function newKey({ id, environment, keyPrefix, label, createdAt }: ApiKeyRow, secret: string) {
  const note = 'The secret is shown only once: store it now.'
  const created_at = createdAt.toISOString()
  const json = { id, environment, key_prefix: keyPrefix, label, created_at, secret, note }
  return done(json, `${fields({ id, environment, label, created: created_at, secret })}\n\n${note}`)
}

function isNamed(key: ApiKeyRow, name: { readonly id: string } | { readonly prefix: string }): boolean {
  return 'id' in name ? key.id === name.id : key.keyPrefix.startsWith(name.prefix)
}
