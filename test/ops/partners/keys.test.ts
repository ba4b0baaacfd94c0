// Key commands, with a real database.
import { describe, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { openKeyring } from '../../../db/keyring'
import { apiKeyDigests } from '../../../db/partners/api-key-secret'
import { updatePartner } from '../../../db/partners/partners'
import { findCaller } from '../../../db/sign-in/callers'
import { useOpsPartner, useTerminal } from '../../support/terminal'

interface NewKey {
  readonly id: string
  readonly key_prefix: string
  readonly secret: string
}

const terminal = useTerminal()
const partner = useOpsPartner(terminal)

const createKey = (...more: string[]) =>
  terminal.json<NewKey>('key', 'create', '--partner', partner.slug, '--environment', 'sandbox', ...more)

const revokeKey = (key: string, ...more: string[]) =>
  terminal.ops('key', 'revoke', '--partner', partner.slug, '--key', key, ...more)

async function callerOf(secret: string) {
  const keyring = openKeyring([{ id: 'test', bytes: Buffer.alloc(32, 0x5e) }])
  const [current] = apiKeyDigests(keyring, secret)
  return findCaller(terminal.db, current?.digest ?? Buffer.alloc(0))
}

async function changesWritten() {
  const entries = await latestActivity(terminal.db, partner.id, 50)
  return entries.map(({ action, environment, detail }) => ({ action, environment, detail }))
}

describe('key create', () => {
  test('prints a secret that has the specified format and authenticates', async () => {
    const key = await createKey('--label', 'order service')

    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      environment: 'sandbox',
      key_prefix: key.secret.slice(0, 'kp_sandbox_12345678'.length),
      label: 'order service',
      created_at: expect.stringMatching(/Z$/),
      secret: expect.stringMatching(/^kp_sandbox_[a-f0-9]{48}$/),
      note: expect.stringContaining('once'),
    })
    expect(await callerOf(key.secret)).toMatchObject({ keyId: key.id, environment: 'sandbox' })
    const [entry] = await changesWritten()
    expect(entry).toEqual({ action: 'key.create', environment: 'sandbox', detail: key.key_prefix })
  })

  test('prints the secret and a warning that it is not shown again', async () => {
    const { code, out } = await terminal.ops('key', 'create', '--partner', partner.slug, '--environment', 'sandbox')

    expect(code).toBe(0)
    expect(out).toMatch(/secret +kp_sandbox_[a-f0-9]{48}\n\nThe secret is shown only once: store it now\.\n$/)
  })

  test('refuses a sixth active key, even for concurrent commands', async () => {
    const tries = await Promise.all(
      Array.from({ length: 6 }, () =>
        terminal.ops('key', 'create', '--partner', partner.slug, '--environment', 'sandbox', '--json'),
      ),
    )

    const refusals = tries.filter(({ code }) => code !== 0)
    expect(refusals).toHaveLength(1)
    expect(refusals[0]).toMatchObject({ code: 2, out: '' })
    expect(JSON.parse(refusals[0]?.err ?? '')).toEqual({
      error: { code: 'key_limit_reached', message: `${partner.slug} already has 5 sandbox keys: revoke one first.` },
    })
  })

  test('creates a live key only after business verification is approved', async () => {
    const create = ['key', 'create', '--partner', partner.slug, '--environment', 'live'] as const
    const before = await terminal.ops(...create, '--json')
    await terminal.db.transaction((tx) =>
      updatePartner(tx, partner.id, { verificationStatus: 'approved' }, new Date(0)),
    )
    const after = await terminal.json<NewKey>(...create)

    expect(before.code).toBe(2)
    expect(JSON.parse(before.err)).toMatchObject({ error: { code: 'verification_required' } })
    expect(after.secret).toMatch(/^kp_live_[a-f0-9]{48}$/)
  })
})

describe('key list', () => {
  test('shows every key newest first, including revoked ones, and no secret in either format', async () => {
    const first = await createKey()
    const second = await createKey('--label', 'second')
    await revokeKey(first.id)

    const list = await terminal.json('key', 'list', '--partner', partner.slug)
    const { out } = await terminal.ops('key', 'list', '--partner', partner.slug)

    const common = { environment: 'sandbox', created_at: expect.any(String), last_used_at: null }
    expect(list).toEqual({
      object: 'list',
      data: [
        { ...common, id: second.id, key_prefix: second.key_prefix, label: 'second', revoked_at: null },
        { ...common, id: first.id, key_prefix: first.key_prefix, label: null, revoked_at: expect.any(String) },
      ],
    })
    const printed = out + JSON.stringify(list)
    expect(printed).toContain(second.key_prefix)
    for (const { secret, key_prefix } of [first, second]) {
      expect(printed).not.toContain(secret)
      expect(printed).not.toContain(secret.slice(key_prefix.length, -8))
    }
  })

  test('reports that there are no keys', async () => {
    expect((await terminal.ops('key', 'list', '--partner', partner.slug)).out).toBe(`${partner.slug} has no keys.\n`)
    expect(await terminal.json('key', 'list', '--partner', partner.slug)).toEqual({ object: 'list', data: [] })
  })
})

describe('key revoke', () => {
  test('revokes a key immediately by its id', async () => {
    const key = await createKey()

    expect(await terminal.json('key', 'revoke', '--partner', partner.slug, '--key', key.id)).toEqual({
      id: key.id,
      revoked: true,
    })

    expect(await callerOf(key.secret)).toBeNull()
    const [entry] = await changesWritten()
    expect(entry).toEqual({ action: 'key.revoke', environment: 'sandbox', detail: key.key_prefix })
  })

  test.each([
    ['the prefix', (key: NewKey) => key.key_prefix],
    ['the start of the prefix', (key: NewKey) => key.key_prefix.slice(0, -2)],
    ['the id in capitals', (key: NewKey) => key.id.toUpperCase()],
    ['the whole secret', (key: NewKey) => key.secret],
  ])('also revokes a key by %s', async (_, nameOf) => {
    const key = await createKey()

    const { code, out } = await revokeKey(nameOf(key))

    expect({ code, out }).toEqual({ code: 0, out: `The key ${key.key_prefix} of ${partner.slug} is revoked.\n` })
    expect(await callerOf(key.secret)).toBeNull()
  })

  test('revokes neither of two keys that match a prefix', async () => {
    const keys = [await createKey(), await createKey()]
    const setPrefix = (id: string | null, prefix: string) =>
      terminal.db.sql`UPDATE api_keys SET key_prefix = ${prefix} WHERE id = ${id}`
    await setPrefix(keys[0]?.id ?? null, 'kp_sandbox_aaaa0001')
    await setPrefix(keys[1]?.id ?? null, 'kp_sandbox_aaaa0002')

    const { code, err } = await revokeKey('kp_sandbox_aaaa')

    expect({ code, err }).toEqual({
      code: 2,
      err: `2 keys of ${partner.slug} have that prefix: use the ID in \`key list\`.\n`,
    })
    expect(await callerOf(keys[0]?.secret ?? '')).not.toBeNull()
  })

  test('refuses a key that is already revoked, and names its status', async () => {
    const key = await createKey()
    await revokeKey(key.id)

    const again = await revokeKey(key.id, '--json')

    expect(again.code).toBe(2)
    expect(JSON.parse(again.err)).toEqual({
      error: {
        code: 'invalid_state',
        message: `The key ${key.key_prefix} is already revoked.`,
        details: { status: 'revoked' },
      },
    })
  })

  test("does not find another partner's key", async () => {
    const key = await createKey()
    await terminal.json('partner', 'create', '--name', 'B', '--slug', `other-${partner.slug}`, '--email', 'b@b.test')

    const { code, err } = await terminal.ops('key', 'revoke', '--partner', `other-${partner.slug}`, '--key', key.id)

    expect({ code, err }).toEqual({ code: 2, err: `other-${partner.slug} has no such key.\n` })
    expect(await callerOf(key.secret)).not.toBeNull()
  })

  test('refuses a mistyped secret without repeating it', async () => {
    const key = await createKey()
    const mistyped = `${key.secret.slice(0, -1)}${key.secret.endsWith('0') ? '1' : '0'}`

    const { code, err } = await revokeKey(mistyped)

    expect({ code, err }).toEqual({
      code: 2,
      err: '--key must be the ID of a key or its prefix, as `key list` shows them.\n',
    })
  })
})
