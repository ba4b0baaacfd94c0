// Notes on a payout: written by admins, read by the team, append-only, and stored encrypted.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { notesPerPayout } from '../../../domain/limits'
import { useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'
import { keptLog } from '../../support/kept-logs'

const clock = aClock('2026-11-16T12:00:00Z')
const logged: string[] = []
const log = () => keptLog({ level: 'warn', write: (line) => void logged.push(line) })
const api = useApi(() => ({ clock, log: log() }))

const pathOf = (id: string, environment = 'sandbox') => `/v1/payouts/${id}/notes?environment=${environment}`
const newKey = () => `note-${randomUUID()}`
const add = (session: string, id: string, text: unknown, environment?: string, key = newKey()) =>
  api.post(pathOf(id, environment), { text }, { session, headers: { 'Idempotency-Key': key } })
const notesOf = async (session: string, id: string) => (await api.get(pathOf(id), { session })).body.data ?? []

async function aTeam() {
  const partner = await aPartner(api)
  const { id } = await aPayoutRow(api, partner)
  return { partner, id, admin: await aSession(api, partner), viewer: await aSession(api, partner, 'viewer') }
}

test('an admin adds notes, and a viewer reads them, oldest first', async () => {
  const { id, admin, viewer } = await aTeam()
  const { body: session } = await api.get('/v1/auth/session', { session: admin })
  const by = Object(session['member']).email

  const first = await add(admin, id, '  The supplier called.\nNew account confirmed. ')
  clock.set('2026-11-16T12:00:01Z')
  const second = await add(admin, id, '\u{1f4b7}'.repeat(1_000))

  expect([first.status, second.status]).toEqual([201, 201])
  expect(first.headers.get('Location')).toBe(`/v1/payouts/${id}/notes`)
  const text = 'The supplier called.\nNew account confirmed.'
  expect(await notesOf(viewer, id)).toEqual([
    { object: 'payout_note', id: expect.any(String), at: '2026-11-16T12:00:00.000Z', by, text },
    {
      object: 'payout_note',
      id: expect.any(String),
      at: '2026-11-16T12:00:01.000Z',
      by,
      text: '\u{1f4b7}'.repeat(1_000),
    },
  ])
})

test.each([
  ['is empty', ''],
  ['is blank', ' \n '],
  ['is too long', 'x'.repeat(1_001)],
  ['is not text', 7],
  ['has hidden characters', 'a\u0000b'],
])('a note is 422 and is not stored if it %s', async (_what, text) => {
  const { id, admin } = await aTeam()

  const { status, body } = await add(admin, id, text)

  expect([status, body.error?.code]).toEqual([422, 'invalid_request'])
  expect(JSON.stringify(body.error?.details)).toMatch(/text \(/)
  expect(await notesOf(admin, id)).toEqual([])
})

describe('Idempotency-Key', () => {
  test('a retry returns the first note, and adds neither a note nor an activity entry', async () => {
    const { id, admin } = await aTeam()
    const key = newKey()
    clock.set('2026-11-16T13:00:00Z')
    const first = await add(admin, id, 'Hello', 'sandbox', key)
    clock.set('2026-11-16T13:10:00Z')

    const retry = await add(admin, id, ' Hello ', 'sandbox', key)

    expect([first.status, retry.status]).toEqual([201, 200])
    expect(retry.headers.get('Idempotent-Replayed')).toBe('true')
    expect(retry.body).toEqual(first.body)
    expect(await notesOf(admin, id)).toEqual([first.body])
    const { body } = await api.get('/v1/activity?changes_only=true', { session: admin })
    const changes = (body.data ?? []).filter(({ action, status }) => action === 'payout.add_note' && status === 201)
    expect(changes).toHaveLength(1)
  })

  test('a concurrent retry adds no second note', async () => {
    const { id, admin } = await aTeam()
    const key = newKey()

    const answers = await Promise.all([1, 2, 3].map(() => add(admin, id, 'Hello', 'sandbox', key)))

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201])
    expect(await notesOf(admin, id)).toHaveLength(1)
  })

  test('the same text is added again with a new key, or by another person with the same key', async () => {
    const { partner, id, admin } = await aTeam()
    const key = newKey()
    await add(admin, id, 'No answer', 'sandbox', key)

    const answers = [
      await add(admin, id, 'No answer'),
      await add(await aSession(api, partner), id, 'No answer', 'sandbox', key),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await notesOf(admin, id)).toHaveLength(3)
  })

  test('a key that was used for another text is 422, and a missing key is 400', async () => {
    const { id, admin } = await aTeam()
    const key = newKey()
    await add(admin, id, 'One', 'sandbox', key)

    const answers = [
      await add(admin, id, 'Two', 'sandbox', key),
      await api.post(pathOf(id), { text: 'Three' }, { session: admin }),
    ]

    expect(answers.map(({ status, body }) => [status, body.error?.code, body.error?.details])).toEqual([
      [422, 'idempotency_key_reused', { payout_id: id, differing_fields: ['text'] }],
      [400, 'idempotency_key_required', undefined],
    ])
    expect(await notesOf(admin, id)).toHaveLength(1)
  })
})

describe('access', () => {
  test('a viewer and an API key cannot write, and an API key cannot read', async () => {
    const { partner, id, viewer } = await aTeam()
    const key = await aKey(api, partner, 'sandbox')

    const answers = [
      await add(viewer, id, 'Hello'),
      await api.post(pathOf(id), { text: 'Hello' }, { key, headers: { 'Idempotency-Key': newKey() } }),
      await api.get(pathOf(id), { key }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(await notesOf(viewer, id)).toEqual([])
  })

  test('a payout of another partner or of the other environment is 404', async () => {
    const { id, admin } = await aTeam()
    const stranger = await aSession(api, await aPartner(api))
    await add(admin, id, 'Ours')

    const answers = [
      await add(stranger, id, 'Theirs'),
      await api.get(pathOf(id), { session: stranger }),
      await add(admin, id, 'Live', 'live'),
      await api.get(pathOf(id, 'live'), { session: admin }),
      await add(admin, randomUUID(), 'Nowhere'),
    ]

    expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(answers.map(() => [404, 'not_found']))
    expect(await notesOf(admin, id)).toHaveLength(1)
  })
})

test('the audit log names the payout, the author and the environment, but not the text', async () => {
  const { id, admin } = await aTeam()
  await add(admin, id, 'Zebulon called')

  const { body, bytes } = await api.get('/v1/activity?changes_only=true', { session: admin })

  expect(body.data?.[0]).toMatchObject({
    action: 'payout.add_note',
    status: 201,
    environment: 'sandbox',
    detail: id,
    payout: { id, amount_gbp: '120.00' },
  })
  expect(bytes.toString('utf8')).not.toContain('Zebulon')
})

test('the database stores the text encrypted, and refuses to change the author, time or payout', async () => {
  const { id, admin } = await aTeam()
  await add(admin, id, 'Zebulon called')
  await add(admin, id, 'Quixote called')
  const query = (sql: string) => api.db.dataSource.query(sql)

  const rows: { sealed: Buffer }[] = await query(`SELECT sealed FROM payout_notes WHERE payout_id = '${id}'`)

  for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toMatch(/Zebulon|Quixote/)
  for (const change of [`made_by = 'x'`, 'at = now()', 'payout_id = payout_id', 'id = gen_random_uuid()'])
    await expect(query(`UPDATE payout_notes SET ${change}`)).rejects.toThrow(/payout_notes/)
})

test('a note that cannot be decrypted has no text, does not hide the others, and is logged without content', async () => {
  const { id, admin } = await aTeam()
  const { body: intact } = await add(admin, id, 'Zebulon called')
  const { body: moved } = await add(admin, id, 'Quixote called')
  await api.db.dataSource.query(
    'UPDATE payout_notes SET sealed = (SELECT sealed FROM payout_notes WHERE id = $1) WHERE id = $2',
    [intact['id'], moved['id']],
  )
  logged.length = 0

  const notes = await notesOf(admin, id)

  expect(new Map(notes.map((note) => [note['id'], note]))).toEqual(
    new Map([
      [intact['id'], intact],
      [moved['id'], { ...moved, text: null }],
    ]),
  )
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', payout_id: id, note_id: moved['id'] }),
  ])
  expect(logged.join('')).not.toMatch(/Zebulon|Quixote/)
})

test('a payout accepts a limited number of notes, even from two admins at once', async () => {
  const { partner, id, admin } = await aTeam()
  const second = await aSession(api, partner)
  for (let count = 1; count < notesPerPayout; count++) await add(admin, id, `Note ${count}`)

  const answers = await Promise.all([add(admin, id, 'Last'), add(second, id, 'Last')])

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  expect(answers.find(({ status }) => status === 409)?.body.error?.details).toEqual({ status: 'too_many_notes' })
  expect(await notesOf(admin, id)).toHaveLength(notesPerPayout)
})
