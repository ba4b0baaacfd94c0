// Wallet histories from an unreliable bank: movements that are late, out of order or unreadable, read by several
// concurrent runs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { readWallet, type WalletReadingDeps } from '../../../activities/wallets/readings/read-wallets'
import type { Db } from '../../../db/database'
import { listHeldDeposits } from '../../../db/wallets/held-deposits'
import { findWalletToRead, moveHistoryReadTo } from '../../../db/wallets/readings'
import { openWallet, type WalletRow } from '../../../db/wallets/wallets'
import { systemClock } from '../../../runtime/clock'
import { requireValidLedger } from '../../referee/ledger-rules'
import { json, type ScriptedBank, startScriptedBank } from '../../support/bank/scripted'
import { aPartner } from '../../support/db/a-partner'
import { createDatabase, openDb, type TestDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'

interface Movement {
  readonly id: string
  readonly at: number
  readonly amount: string
  readonly currency?: string
  readonly type?: string
}

const log = keptLog()
const noon = Date.parse('2027-03-01T12:00:00.000Z')
const minute = 60_000
let database: TestDatabase
let db: Db
let bank: ScriptedBank
let deps: WalletReadingDeps
let wallet: WalletRow
/** The history that the bank currently returns. */
let history: Movement[]

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb(database.url)
  bank = await startScriptedBank()
  const rails = { provider_production: bank.rail, provider_sandbox: bank.rail, simulated: bank.rail }
  const startReturn = () => Promise.reject(new Error('nothing was sent'))
  deps = { db, clock: systemClock, log, rails, listLagMs: 0, startReturn }
  bank.answer(({ path }, response) => {
    const rows = history.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    const after = new URL(path, bank.url).searchParams.get('starting_after')
    const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1
    json(response, 200, { count: rows.length, data: rows.slice(from, from + 100).map(asTheBankWrites) })
  })
})
afterAll(async () => {
  await requireValidLedger(db.dataSource)
  await bank.close()
  await db.close()
  await database.drop()
})
beforeEach(async () => {
  history = []
  wallet = await aLiveWallet()
})

describe('two hundred shuffled histories', () => {
  const cases = Array.from({ length: 200 }, (_, seed) => seed + 1)

  test.each(cases)('lead to the expected balance (seed %i)', async (seed) => {
    const random = randomFrom(seed)
    const movements = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, index) => aMovement(index, random))
    const expected = movements.filter(isGood).reduce((sum, { amount }) => sum + micro(amount), 0n)
    const coming = shuffled(movements, random)

    while (coming.length > 0) {
      history = [...history, ...coming.splice(0, 1 + Math.floor(random() * 3))]
      const readers = 1 + Math.floor(random() * 3)
      await Promise.all(Array.from({ length: readers }, () => readWallet(deps, { walletId: wallet.id })))
    }
    await readWallet(deps, { walletId: wallet.id })

    expect(await balance()).toBe(expected)
    expect(await heldCount()).toBe(movements.filter((movement) => !isGood(movement)).length)
  })
})

test('a movement that appears less than an hour late is booked, even if newer ones were already read', async () => {
  history = [{ id: 'm2', at: noon, amount: '2.000000' }]
  await readWallet(deps, { walletId: wallet.id })
  history = [...history, { id: 'm1', at: noon - 59 * minute, amount: '1.000000' }]
  await readWallet(deps, { walletId: wallet.id })

  expect(await balance()).toBe(3_000_000n)
})

test('movements over an hour older than the newest are not read again, and a slow reader does not move the position back', async () => {
  const old = [1, 2, 3].map((hour) => ({ id: `m${hour}`, at: noon + hour * 60 * minute, amount: '1.000000' }))
  history = old
  const late = await findWalletToRead(db, wallet.id)
  await readWallet(deps, { walletId: wallet.id })
  expect((await findWalletToRead(db, wallet.id))?.historyReadTo).toBe('m1')

  history = [...old, { id: 'm9', at: noon + 9 * 60 * minute, amount: '1.000000' }]
  await readWallet(deps, { walletId: wallet.id })
  expect((await findWalletToRead(db, wallet.id))?.historyReadTo).toBe('m3')

  await db.transaction((tx) =>
    moveHistoryReadTo(tx, { walletId: wallet.id, from: late?.historyReadTo ?? null, to: 'm1' }),
  )
  expect((await findWalletToRead(db, wallet.id))?.historyReadTo).toBe('m3')
})

test('unreadable movements are held without an amount, and the others are booked', async () => {
  history = [
    { id: 'm1', at: noon, amount: '1.000000' },
    { id: 'm2', at: noon + 1, amount: '9.000000', currency: 'eurc' },
    { id: 'm3', at: noon + 2, amount: '9.000000', type: 'adjustment' },
    { id: 'm4', at: noon + 3, amount: '0.0000001' },
    { id: 'm5', at: noon + 4, amount: '4.000000' },
  ]

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ booked: 2, held: 3, returns: 0, unresolved: 0 })
  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ booked: 0, held: 0, returns: 0, unresolved: 0 })

  expect(await balance()).toBe(5_000_000n)
  const held = (await listHeldDeposits(db, 10_000)).filter(({ walletId }) => walletId === wallet.id)
  const summaries = held.map(({ bankRef, why, amountMicroUsdc }) => `${bankRef} ${why} ${amountMicroUsdc}`)
  expect(new Set(summaries)).toEqual(
    new Set(['m2 unreadable_currency null', 'm3 unreadable_type null', 'm4 unreadable_amount null']),
  )
  expect(summaries).toHaveLength(3)
})

async function aLiveWallet(): Promise<WalletRow> {
  const { id: partnerId } = await aPartner(db)
  const about = { partnerId, environment: 'live', rail: 'provider_production', at: systemClock.now() } as const
  const opened = await db.transaction((tx) => openWallet(tx, about))
  await db.dataSource.query(`UPDATE wallets SET customer_ref = id::text, wallet_ref = id::text WHERE id = $1`, [
    opened.id,
  ])
  return opened
}

async function balance(): Promise<bigint> {
  const sql = 'SELECT balance_micro_usdc AS held FROM wallets WHERE id = $1'
  const [row]: { held: string }[] = await db.dataSource.query(sql, [wallet.id])
  return BigInt(row?.held ?? -1)
}

async function heldCount(): Promise<number> {
  return (await listHeldDeposits(db, 10_000)).filter(({ walletId }) => walletId === wallet.id).length
}

/** The time is within one hour, because the reader may miss a movement that arrives more than an hour late. */
function aMovement(index: number, random: () => number): Movement {
  const at = noon + Math.floor(random() * 59 * minute)
  const amount = `${Math.floor(random() * 1_000)}.${String(1 + Math.floor(random() * 999_999)).padStart(6, '0')}`
  return { id: `m${index}`, at, amount, ...(random() < 0.15 ? { currency: 'eurc' } : {}) }
}

function isGood({ currency = 'usdc' }: Movement): boolean {
  return currency === 'usdc'
}

function asTheBankWrites({ id, at, amount, currency = 'usdc', type = 'deposit' }: Movement): object {
  const created_at = new Date(at).toISOString()
  return { id, amount, currency, type, payment_route: { type: 'simulated_deposit' }, created_at }
}

function micro(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one)
}

/** Returns the same numbers for the same seed, so that a failing case can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
