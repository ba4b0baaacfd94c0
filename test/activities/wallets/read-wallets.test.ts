// All wallets are read, even if the bank returns errors for some of them, and an interrupted read is resumed.

import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { readWallet, readWallets, type WalletReadingDeps } from '../../../activities/wallets/readings/read-wallets'
import { listFailedReadings } from '../../../db/wallets/readings'
import { openWallet } from '../../../db/wallets/wallets'
import type { Environment } from '../../../domain/environment'
import { systemClock } from '../../../runtime/clock'
import { json, useScriptedBank } from '../../support/bank/scripted'
import { aPartner } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'
import { tapped } from '../../support/db/tapped'
import { keptLog } from '../../support/kept-logs'

const count = 12
const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })
const all = { environment: 'live', after: null, limit: 50 } as const
const db = useDatabase()
const bank = useScriptedBank()
let deps: WalletReadingDeps
/** The wallets' references, in the order in which they are read. */
let refs: string[] = []
/** The bank's answers to requests for a wallet's history. The default is an empty history. */
let answers: ReadonlyMap<string, readonly [status: number, body: object]>
/** The wallets whose history was requested from the bank. */
let asked: Set<string>

beforeAll(async () => {
  const rails = { provider_production: bank.rail, provider_sandbox: bank.rail, simulated: bank.rail }
  deps = { db, clock: systemClock, log, rails, listLagMs: 0, startReturn: async () => undefined }
  for (let wallet = 0; wallet < count; wallet++) await aWallet()
  const rows: { ref: string }[] = await db.dataSource.query(
    `SELECT wallet_ref AS ref FROM wallets WHERE environment = 'live' AND wallet_ref IS NOT NULL ORDER BY id`,
  )
  refs = rows.map(({ ref }) => ref)
})
beforeEach(async () => {
  lines.length = 0
  answers = new Map()
  asked = new Set()
  bank.answer(({ path }, response) => {
    const ref = path.split('/').find((part) => refs.includes(part)) ?? ''
    asked.add(ref)
    const [status, body] = answers.get(ref) ?? [200, { count: 0, data: [] }]
    json(response, status, body)
  })
  await db.dataSource.query('DELETE FROM bank_readings')
  await db.dataSource.query('DELETE FROM wallet_reading_failures')
})

test.each([
  [404, { code: 'not_found' }, 'refused'],
  [503, {}, 'no_answer'],
])('a wallet is listed as not read after the bank answered %i, until it is read', async (status, body, reason) => {
  answers = new Map([[refs[1] ?? '', [status, body]]])
  await readWallets(deps, all)
  await readWallets(deps, all)

  expect(await listFailedReadings(db, 10)).toMatchObject([{ environment: 'live', reason, failures: 2 }])

  answers = new Map()
  await readWallets(deps, all)
  expect(await listFailedReadings(db, 10)).toEqual([])
})

test('a wallet is also listed as not read after an internal error', async () => {
  const walletHistory = () => Promise.reject(new RangeError('Maximum call stack size exceeded'))
  const rails = { ...deps.rails, provider_production: { ...deps.rails.provider_production, walletHistory } }

  await readWallets({ ...deps, rails }, all)

  expect(await listFailedReadings(db, 1)).toMatchObject([{ reason: 'failed', failures: 1 }])
})

test.each([
  ['unknown to the bank', 404, { code: 'not_found' }],
  ['forbidden', 403, { code: 'forbidden' }],
  ['unreadable', 200, { data: 'none' }],
])(
  'five wallets in a row that are %s do not block the others, and each is logged as an error',
  async (_, status, body) => {
    answers = new Map(refs.slice(0, 5).map((ref) => [ref, [status, body]]))

    expect(await readWallets(deps, all)).toMatchObject({ read: count - 5, failed: 5, next: null })

    expect(asked.size).toBe(count)
    expect(new Set(lines.map((line) => JSON.parse(line).wallet_id)).size).toBe(5)
  },
)

test.each([500, 503, 429])(
  'a bank that answers %i five times in a row counts as unavailable and gets no further requests',
  async (status) => {
    answers = new Map(refs.map((ref) => [ref, [status, {}]]))

    expect(await readWallets(deps, all)).toMatchObject({ read: 0, next: null })

    expect(asked.size).toBe(5)
    expect(lines).toEqual([])
  },
)

test('five wallets for which the bank answers 500 are skipped in the next read, which reads the later ones', async () => {
  answers = new Map(refs.slice(0, 5).map((ref) => [ref, [500, {}]]))

  await readWallets(deps, all)
  asked.clear()
  expect(await readWallets(deps, all)).toMatchObject({ read: count - 5, next: null })
  expect([...asked].toSorted()).toEqual(refs.slice(5).toSorted())

  asked.clear()
  await readWallets(deps, all)
  expect([...asked].toSorted()).toEqual(refs.slice(0, 5).toSorted())
})

test('a read that was interrupted within a page resumes after the wallets already read', async () => {
  const unavailable = new Error('the database is unavailable')
  const cutOff = tapped(db, (_command, next) => (asked.size > 5 ? Promise.reject(unavailable) : next()))

  await expect(readWallets({ ...deps, db: cutOff }, all)).rejects.toBe(unavailable)
  asked.clear()
  await readWallets(deps, all)
  expect([...asked].toSorted()).toEqual(refs.slice(5).toSorted())

  asked.clear()
  await readWallets(deps, all)
  expect(asked.size).toBe(count)
})

const sandboxes = { ...all, environment: 'sandbox' } as const

test('an idle sandbox is not read, but an idle live wallet is', async () => {
  const { walletId } = await aWallet('sandbox')
  await db.dataSource.query(`UPDATE wallets SET updated_at = now() - interval '25 hours'`)

  expect(await readWallets(deps, sandboxes)).toMatchObject({ read: 0, failed: 0, next: null })
  expect(asked.size).toBe(0)
  expect(await readWallets(deps, all)).toMatchObject({ read: count })

  // An event from the bank triggers a read, even of an idle sandbox.
  await readWallet(deps, { walletId })
  expect(asked.size).toBe(count + 1)
})

test.each([
  ['money moved', `UPDATE wallets SET updated_at = now() WHERE id = :wallet`],
  [
    'a key was used',
    `INSERT INTO api_keys (id, partner_id, environment, key_prefix, digest, digest_key_id, created_by, created_at, last_used_at)
      VALUES (gen_random_uuid(), :partner, 'sandbox', 'kp_sandbox_a', '\\x01', 'k', 'x', now(), now())`,
  ],
  [
    'a member visited',
    `WITH m AS (INSERT INTO members (id, partner_id, email, role, created_at)
        VALUES (gen_random_uuid(), :partner, 'ada@idle.test', 'viewer', now()) RETURNING id)
      INSERT INTO sessions (id, member_id, token_digest, created_at, last_used_at, expires_at)
      SELECT gen_random_uuid(), id, '\\x01', now() - interval '3 days', now(), now() + interval '3 days' FROM m`,
  ],
  [
    'a movement is undecided',
    `INSERT INTO undecided_movements (wallet_id, bank_ref, kind, amount_micro_usdc, moved_at, found_at)
      VALUES (:wallet, 'movement', 'withdrawal', 1, now(), now())`,
  ],
  [
    'a read failed',
    `INSERT INTO wallet_reading_failures (wallet_id, since, failed_at, failures, reason)
      VALUES (:wallet, now(), now(), 1, 'no_answer')`,
  ],
  [
    'a drift is open',
    `INSERT INTO drifts (id, kind, wallet_id, subject, expected, found, first_seen_at, last_seen_at)
      VALUES (gen_random_uuid(), 'bank_balance', :wallet, :wallet, '1', '2', now(), now())`,
  ],
])('an idle sandbox is read again when %s', async (_what, sql) => {
  const { walletId, partnerId } = await aWallet('sandbox')
  await db.dataSource.query(`UPDATE wallets SET updated_at = now() - interval '25 hours'`)
  const { read: before } = await readWallets(deps, sandboxes)

  await db.dataSource.query(sql.replaceAll(':wallet', `'${walletId}'`).replaceAll(':partner', `'${partnerId}'`))

  expect(await readWallets(deps, sandboxes)).toMatchObject({ read: before + 1, failed: 0 })
})

async function aWallet(environment: Environment = 'live'): Promise<{ walletId: string; partnerId: string }> {
  const { id: partnerId } = await aPartner(db)
  const rail = environment === 'live' ? 'provider_production' : 'provider_sandbox'
  const { id } = await db.transaction((tx) => openWallet(tx, { partnerId, environment, rail, at: systemClock.now() }))
  const connect = 'UPDATE wallets SET customer_ref = $2, wallet_ref = $2 WHERE id = $1'
  const ref = randomUUID()
  await db.dataSource.query(connect, [id, ref])
  refs.push(ref)
  return { walletId: id, partnerId }
}
