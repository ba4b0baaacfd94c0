// A movement that cannot be booked yet is checked again until it is booked, held or reported.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  readPositionAfter,
  readWallet,
  type WalletReadingDeps,
} from '../../../activities/wallets/readings/read-wallets'
import { attendPayout } from '../../../db/payouts/attention'
import { loadStep } from '../../../db/payouts/steps'
import { listHeldDeposits } from '../../../db/wallets/held-deposits'
import { findWalletToRead, listUndecided } from '../../../db/wallets/readings'
import { findWallet } from '../../../db/wallets/wallets'
import { nextStepFor } from '../../../ops/payouts/next-step'
import type { HistoryRow, Rail } from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'
import { aClaim, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const hourMs = 60 * 60 * 1000
const sent = 153_300_000n
const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })
const nothing = { booked: 0, held: 0, returns: 0, unresolved: 0 }
const db = useDatabase()
const { bank, rails, partner } = usePayer(db)
let walletId: string
let started: Date[]
let before: bigint

beforeEach(async () => {
  walletId = (await findWallet(db, partner.id, 'live'))?.id ?? ''
  started = []
  before = await balance()
  lines.length = 0
})
afterEach(() => requireValidLedger(db.dataSource))

test('a refund whose transfer still counts as delivered is checked again until it is booked, even after newer movements', async () => {
  const payout = await aCompleted()
  await refund(payout)
  const deps = reading({ walletHistory: longAgo })

  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, booked: 1, returns: 1 })
  expect(await stepsWith({ transfer: asDelivered }).pollReturn(payout)).toMatchObject({
    at: 'over',
    status: 'completed',
  })
  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, returns: 1 })
  const refundedAt = (await history()).at(-1)?.at ?? new Date(0)
  expect(started).toEqual([new Date(refundedAt.getTime() - 3 * hourMs), new Date(refundedAt.getTime() - 3 * hourMs)])

  expect(await stepsWith().pollReturn(payout)).toMatchObject({ at: 'over', status: 'returned' })
  expect(await readWallet(deps, { walletId })).toEqual(nothing)
  expect(await cursor()).toBe((await history()).at(-1)?.id)
  expect(await balance()).toBe(before + 1_000_000n)
})

test('an unbooked refund is reported once when it is older than the quiet period', async () => {
  const payout = await aCompleted()
  await refund(payout)

  await readWallet(reading({}), { walletId })
  expect([await attention(payout), lines]).toEqual([null, []])
  const deps = reading({ walletHistory: longAgo })
  for (let time = 0; time < 3; time++) await readWallet(deps, { walletId })

  expect(await attention(payout)).toBe('refund_unexplained')
  expect(nextStepFor('refund_unexplained')).toContain('Ask the bank')
  expect(lines.filter((line) => line.includes(payout.payoutId))).toHaveLength(1)
  await stepsWith().pollReturn(payout)
  expect(await attention(payout)).toBeNull()
})

test('a movement that operators have resolved is not reported again, and is still booked once the bank confirms it', async () => {
  const payout = await aCompleted()
  await refund(payout)
  const deps = reading({ walletHistory: longAgo })
  await readWallet(deps, { walletId })

  const resolution = { note: 'The bank will correct it', madeBy: 'ops:test', at: systemClock.now() }
  await db.transaction((tx) => attendPayout(tx, { payoutId: payout.payoutId, ...resolution }))

  expect(await readWallet(deps, { walletId })).toEqual(nothing)
  expect(await attention(payout)).toBeNull()
  await stepsWith().pollReturn(payout)
  expect(await balance()).toBe(before + 1_000_000n)
})

test('an open payout books one of two partial refunds, and the other is held', async () => {
  const payout = await aSent()
  await move(payout, 'undeliverable')
  await move(payout, 'refunded')
  const deps = reading({ walletHistory: async (wanted) => longAgo(wanted, 'and its first part') })

  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, booked: 1 })
  expect(await stepsWith().settle(payout)).toMatchObject({ at: 'over', status: 'failed' })
  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, held: 1 })

  const held = (await listHeldDeposits(db, 10)).filter((each) => each.walletId === walletId)
  expect(held).toMatchObject([{ why: 'second_refund', bankRef: 'the-first-part', amountMicroUsdc: 3_000_000n }])
})

test('a withdrawal without a transfer is listed and logged once, without an amount, and changes no balance', async () => {
  const withdrawal = { id: 'w1', kind: 'withdrawal', amountMicroUsdc: 9_000_000n, transferRef: null } as const
  const walletHistory = async () => [{ ...withdrawal, at: systemClock.now() }]

  const read = [1, 2].map(() => readWallet(reading({ walletHistory }), { walletId }))

  expect((await Promise.all(read)).reduce((sum, { held }) => sum + held, 0)).toBe(1)
  const held = (await listHeldDeposits(db, 10)).filter((each) => each.walletId === walletId)
  expect(held).toMatchObject([{ why: 'unexplained_withdrawal', bankRef: 'w1', amountMicroUsdc: null }])
  expect(lines.filter((line) => line.includes('unexplained_withdrawal'))).toHaveLength(1)
  expect(await balance()).toBe(before)
})

test('a withdrawal is undecided while its payout has no transfer ID, and is held if the payout gets another transfer', async () => {
  const payout = await aSent()
  const { transferRef } = await loadStep(db, payout.payoutId)
  const setRef = (ref: string | null) =>
    db.dataSource.query('UPDATE payouts SET transfer_ref = $2 WHERE id = $1', [payout.payoutId, ref])
  const deps = reading({ walletHistory: longAgo })

  await setRef(null)
  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, booked: 1 })
  const withdrawn = (await history()).findLast(({ kind }) => kind === 'withdrawal')
  expect(await listUndecided(db, walletId)).toMatchObject([{ id: withdrawn?.id, transferRef }])
  await setRef('another')
  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, held: 1 })

  await setRef(transferRef)
})

test('an undecided movement does not stop the reading position, and is checked by its ID until it is decided', async () => {
  const payout = await aCompleted()
  await refund(payout)
  const refunded = (await history()).at(-1)
  const asked: (string | null)[] = []
  const deps = reading({
    walletHistory: (wanted) => {
      asked.push(wanted.after)
      return longAgo(wanted)
    },
  })

  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, booked: 1, returns: 1 })
  expect(await cursor()).toBe(refunded?.id)
  expect(await listUndecided(db, walletId)).toMatchObject([{ id: refunded?.id }])
  expect(await readWallet(deps, { walletId })).toEqual({ ...nothing, returns: 1 })
  expect(asked).toEqual([null, refunded?.id])

  await stepsWith().pollReturn(payout)
  expect(await readWallet(deps, { walletId })).toEqual(nothing)
  expect(await listUndecided(db, walletId)).toEqual([])
})

test('the reading position is found in a history of 200,000 movements', () => {
  const at = systemClock.now().getTime()
  const row = (index: number) => ({ id: `m${index}`, kind: 'deposit', amountMicroUsdc: 1n, transferRef: 't' }) as const
  const judged = Array.from({ length: 200_000 }, (_, index) => ({
    verdict: index === 7 ? ('awaited' as const) : ('deposit' as const),
    row: { ...row(index), at: new Date(at + index * 60_000) },
  }))

  expect(readPositionAfter(judged)).toEqual({ to: 'm199938', movements: [judged[7]?.row] })
})

type WalletHistory = Rail['walletHistory']

function reading(change: Partial<Pick<Rail, 'walletHistory'>>): WalletReadingDeps {
  const provider_production = { ...rails.provider_production, ...change }
  const startReturn = async (_: unknown, refundedAt: Date) => void started.push(refundedAt)
  const about = { db, clock: systemClock, log, rails: { ...rails, provider_production } }
  return { ...about, listLagMs: 10 * 60_000, startReturn }
}

function stepsWith(change: Partial<Pick<Rail, 'transfer'>> = {}) {
  const deps = stepDeps(db, { ...rails, provider_production: { ...rails.provider_production, ...change } })
  return payoutActivities(deps)
}

/**
 * Makes every row of the history three hours old and adds a new deposit, so that the reading position advances past
 * the old rows.
 */
async function longAgo(wanted: Parameters<WalletHistory>[0], more?: 'and its first part'): Promise<HistoryRow[]> {
  const rows = (await rails.provider_production.walletHistory(wanted)).map((row) => ({
    ...row,
    at: new Date((row.at?.getTime() ?? 0) - 3 * hourMs),
  }))
  const last = rows.at(-1)
  const part =
    more !== undefined && last?.kind === 'deposit'
      ? [{ ...last, id: 'the-first-part', amountMicroUsdc: 3_000_000n }]
      : []
  const newest = { id: 'newest', kind: 'deposit', amountMicroUsdc: 1_000_000n, transferRef: null } as const
  return [...rows.slice(0, -1), ...part, ...rows.slice(-1), { ...newest, at: systemClock.now() }]
}

async function asDelivered(ref: string) {
  return {
    ...(await rails.provider_production.transfer(ref)),
    state: 'payment_processed',
    status: 'delivered',
  } as const
}

async function aSent(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id, environment: 'live' })
  await stepsWith().debitPayout(payout)
  expect(await stepsWith().submitToRail(payout)).toMatchObject({ at: 'sent' })
  expect(await balance()).toBe(before - sent)
  return payout
}

async function aCompleted(): Promise<PayoutRef> {
  const payout = await aSent()
  await move(payout, 'payment_processed')
  await stepsWith().settle(payout)
  return payout
}

async function refund(payout: PayoutRef): Promise<void> {
  await move(payout, 'returned')
  await move(payout, 'refunded')
}

async function move({ payoutId }: PayoutRef, state: string): Promise<void> {
  const { transferRef } = await loadStep(db, payoutId)
  const { status } = await bank.control('POST', `/transfers/${transferRef}/advance`, { state, last: true })
  expect(status).toBe(200)
}

async function history(): Promise<HistoryRow[]> {
  const live = await findWallet(db, partner.id, 'live')
  const refs = { customerRef: live?.customerRef ?? '', walletRef: live?.walletRef ?? '' }
  return rails.provider_production.walletHistory({ ...refs, after: null })
}

async function cursor(): Promise<string | null | undefined> {
  return (await findWalletToRead(db, walletId))?.historyReadTo
}

async function attention({ payoutId }: PayoutRef): Promise<string | null> {
  const [row]: { attention: string | null }[] = await db.dataSource.query(
    'SELECT attention FROM payouts WHERE id = $1',
    [payoutId],
  )
  return row?.attention ?? null
}

async function balance(): Promise<bigint> {
  return (await findWallet(db, partner.id, 'live'))?.balanceMicroUsdc ?? -1n
}
