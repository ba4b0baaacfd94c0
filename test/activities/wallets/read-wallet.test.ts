// A wallet's history at the bank becomes ledger postings. Each deposit is booked once, payouts book their
// refunds, and all other movements are held.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { readWallet, type WalletReadingDeps } from '../../../activities/wallets/readings/read-wallets'
import { latestActivity } from '../../../db/controls/activity'
import type { Db } from '../../../db/database'
import { loadStep } from '../../../db/payouts/steps'
import { listHeldDeposits } from '../../../db/wallets/held-deposits'
import { findWallet } from '../../../db/wallets/wallets'
import type { Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import type { ReturnStart } from '../../../workflows/starts'
import { requireValidLedger } from '../../referee/ledger-rules'
import { keys } from '../../support/bank/client'
import { anAccount, aTransfer } from '../../support/bank/parties'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'
import { aClaim, aConnectedPartner, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const lines: string[] = []
const log = keptLog({ level: 'error', write: (line) => void lines.push(line) })
const nothing = { booked: 0, held: 0, returns: 0, unresolved: 0 }
const db = useDatabase()
const { bank, rails, partner } = usePayer(db)
let wallet: { id: string; customerRef: string; walletRef: string }
let returns: ReturnStart[]
let deps: WalletReadingDeps
const steps = payoutActivities(stepDeps(db, rails))
/** The wallet's balance at the start of a test, after its complete history was read. */
let before: bigint

beforeEach(async () => {
  const live = await findWallet(db, partner.id, 'live')
  wallet = { id: live?.id ?? '', customerRef: live?.customerRef ?? '', walletRef: live?.walletRef ?? '' }
  returns = []
  const startReturn = async (payout: ReturnStart) => void returns.push(payout)
  deps = { db, clock: systemClock, log, rails, listLagMs: 60_000, startReturn }
  await readWallet(deps, { walletId: wallet.id })
  before = await balance()
  lines.length = 0
})
afterEach(() => requireValidLedger(db.dataSource))

test('a deposit is booked once, with an activity entry and a notice, however often the history is read', async () => {
  await deposit('12.345678')

  const first = await readWallet(deps, { walletId: wallet.id })
  const again = await readWallet(deps, { walletId: wallet.id })

  expect([first, again]).toEqual([{ ...nothing, booked: 1 }, nothing])
  expect(await balance()).toBe(before + 12_345_678n)
  const [entry] = await latestActivity(db, partner.id, 1)
  const expectedEntry = { action: 'wallet.top_up', madeBy: 'bank', detail: '12.345678 USDC', environment: 'live' }
  expect(entry).toMatchObject(expectedEntry)
  expect(await notices()).toHaveLength(1)
})

test('ten concurrent reads book a deposit once', async () => {
  await deposit('5.00')
  await deposit('7.00')

  const read = await Promise.all(Array.from({ length: 10 }, () => readWallet(deps, { walletId: wallet.id })))

  expect(read.reduce((sum, { booked }) => sum + booked, 0)).toBe(2)
  expect(await balance()).toBe(before + 12_000_000n)
  expect((await activities()).filter((action) => action === 'wallet.top_up')).toHaveLength(2)
  expect(await notices()).toHaveLength(2)
})

test('after a crash before or after the commit, the next read books the deposit once', async () => {
  await deposit('5.00')
  const killed = new Error('killed')
  const beforeCommit: Db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        await work(tx)
        throw killed
      }),
  }
  const afterCommit: Db = {
    ...db,
    transaction: async (work) => {
      await db.transaction(work)
      throw killed
    },
  }

  await expect(readWallet({ ...deps, db: beforeCommit }, { walletId: wallet.id })).rejects.toBe(killed)
  expect([await balance(), (await notices()).length]).toEqual([before, 0])
  await expect(readWallet({ ...deps, db: afterCommit }, { walletId: wallet.id })).rejects.toBe(killed)
  expect(await readWallet(deps, { walletId: wallet.id })).toEqual(nothing)

  expect([await balance(), (await notices()).length]).toEqual([before + 5_000_000n, 1])
})

test('a sandbox deposit is booked in the same way, but without a notice', async () => {
  const sandbox = await findWallet(db, partner.id, 'sandbox')
  const walletId = sandbox?.id ?? ''
  await readWallet(deps, { walletId })
  const held = (await findWallet(db, partner.id, 'sandbox'))?.balanceMicroUsdc ?? 0n
  await bank.control('POST', `/wallets/${sandbox?.walletRef}/deposits`, { amount: '3.00' })

  expect(await readWallet(deps, { walletId })).toMatchObject({ booked: 1 })

  expect((await findWallet(db, partner.id, 'sandbox'))?.balanceMicroUsdc).toBe(held + 3_000_000n)
  expect(await notices()).toEqual([])
})

test('pounds to the virtual account and USDC to the deposit address are booked at the bank’s converted amounts', async () => {
  const refs = { customerRef: wallet.customerRef, walletRef: wallet.walletRef, chain: 'base' }
  const { fundingRef } = await rails.provider_production.bankFunding({ ...refs, key: randomUUID() })
  await rails.provider_production.depositAddress({ ...refs, key: randomUUID() })
  const path = `/customers/${wallet.customerRef}/liquidation_addresses`
  const address = (await bank.get(path, { environment: 'live' })).json.data[0]
  await bank.control('POST', `/virtual_accounts/${fundingRef}/deposits`, { amount: '100.00' })
  await bank.control('POST', `/liquidation_addresses/${address.id}/deposits`, { amount: '20.00' })

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, booked: 2 })

  const after = await rails.provider_production.wallet(refs)
  expect(await balance()).toBe(after.usdcMicro)
})

test('a refund is left to its payout, even if the wallet is read first', async () => {
  const payout = await aSent()
  await move(payout, 'undeliverable', 'AC03')
  await move(payout, 'refunded')
  await deposit('5.00')

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, booked: 1 })
  expect(await balance()).toBe(before - 153_300_000n + 5_000_000n)
  expect(await steps.settle(payout)).toMatchObject({ at: 'over', status: 'failed' })
  expect(await readWallet(deps, { walletId: wallet.id })).toEqual(nothing)

  expect(await balance()).toBe(before + 5_000_000n)
  expect(returns).toEqual([])
})

test('a refund that its payout has booked is not booked again', async () => {
  const payout = await aSent()
  await move(payout, 'undeliverable')
  await move(payout, 'refunded')
  await steps.settle(payout)

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual(nothing)
  expect(await balance()).toBe(before)
})

test('every read of a completed payout’s refund starts its return, until the return has booked the refund', async () => {
  const payout = await aReturned()

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, returns: 1 })
  expect(returns).toMatchObject([{ payoutId: payout.payoutId, environment: 'live' }])
  expect(await balance()).toBe(before - 153_300_000n)
  expect(await steps.pollReturn(payout)).toMatchObject({ at: 'over', status: 'returned' })

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual(nothing)
  expect(await balance()).toBe(before)
})

test('a return that could not be started is started by the next read, because the reading position did not advance', async () => {
  await aReturned()
  await deposit('5.00')
  const unavailable = new Error('Temporal is away')

  await expect(
    readWallet({ ...deps, startReturn: () => Promise.reject(unavailable) }, { walletId: wallet.id }),
  ).rejects.toBe(unavailable)
  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, booked: 1, returns: 1 })
})

test('a refund is left to its payout even if the payout has no transfer ID yet, because the transfer names the payout', async () => {
  const payout = await aSent()
  await move(payout, 'undeliverable')
  await move(payout, 'refunded')
  const forget = `UPDATE payouts SET transfer_ref = NULL, verdict = 'unknown', status = 'pending' WHERE id = $1`
  await db.dataSource.query(forget, [payout.payoutId])

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual(nothing)
  expect(await listHeldDeposits(db, 10)).toEqual([])
})

test('a refund whose transfer cannot be read does not block other movements, and is looked up again', async () => {
  const transfer = await aForeignTransfer()
  await deposit('5.00')
  const fault = await bank.fault({
    kind: 'status',
    status: 503,
    times: null,
    match: { method: 'GET', path: `/v0/transfers/${transfer}` },
  })

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, booked: 1, unresolved: 2 })
  await bank.control('DELETE', `/faults/${fault}`)
  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, held: 2 })
})

test('an unknown transfer and its refund are held, listed and logged once, with the refund in suspense', async () => {
  await aForeignTransfer()

  const read = await Promise.all([1, 2, 3].map(() => readWallet(deps, { walletId: wallet.id })))

  expect(read.reduce((sum, { held }) => sum + held, 0)).toBe(2)
  expect(await balance()).toBe(before)
  const held = await heldHere()
  expect(held).toMatchObject([
    { why: 'unexplained_withdrawal', amountMicroUsdc: null, environment: 'live', partnerId: partner.id },
    { why: 'unknown_transfer', environment: 'live', partnerId: partner.id },
  ])
  expect(await suspense()).toBe(held[1]?.amountMicroUsdc)
  expect(lines.filter((line) => line.includes('unexplained_withdrawal'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('unknown_transfer'))).toHaveLength(1)
})

test('a refund is held if its payout belongs to another wallet or has another final status', async () => {
  const payout = await aSent()
  await move(payout, 'undeliverable')
  await move(payout, 'refunded')
  const over = `UPDATE payouts SET closed_at = now(), status = 'cancelled' WHERE id = $1`
  await db.dataSource.query(over, [payout.payoutId])
  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, held: 1 })
  const open = `UPDATE payouts SET closed_at = NULL, status = 'processing' WHERE id = $1`
  await db.dataSource.query(open, [payout.payoutId])

  const other = (await findWallet(db, (await aConnectedPartner(db, bank)).id, 'live'))?.id
  const lost = await aSent()
  await move(lost, 'undeliverable')
  await move(lost, 'refunded')
  await db.dataSource.query('UPDATE payouts SET wallet_id = $2 WHERE id = $1', [lost.payoutId, other])
  expect(await readWallet(deps, { walletId: wallet.id })).toEqual({ ...nothing, held: 2 })
  await db.dataSource.query('UPDATE payouts SET wallet_id = $2 WHERE id = $1', [lost.payoutId, wallet.id])

  expect((await heldHere()).map(({ why }) => why)).toEqual(['other_wallet', 'payout_over', 'unexplained_withdrawal'])
})

test('a second refund of one transfer is held, because its payout is already refunded', async () => {
  const payout = await aSent()
  await move(payout, 'undeliverable')
  await move(payout, 'refunded')
  await steps.settle(payout)
  const after = await balance()
  const twice = async (wanted: Parameters<Rails['provider_production']['walletHistory']>[0]) => {
    const history = await rails.provider_production.walletHistory(wanted)
    const refund = history.at(-1)
    return refund === undefined ? history : [...history, { ...refund, id: 'the-second' }]
  }
  const provider_production = { ...rails.provider_production, walletHistory: twice }

  const read = await readWallet({ ...deps, rails: { ...rails, provider_production } }, { walletId: wallet.id })

  expect(read).toEqual({ ...nothing, held: 1 })
  expect(await balance()).toBe(after)
  const held = (await listHeldDeposits(db, 10)).filter(({ walletId }) => walletId === wallet.id)
  expect(held).toMatchObject([{ why: 'second_refund', bankRef: 'the-second' }])
})

test('a wallet that is not connected to a bank is not read', async () => {
  await db.dataSource.query('UPDATE wallets SET customer_ref = NULL WHERE id = $1', [wallet.id])
  await deposit('5.00')

  expect(await readWallet(deps, { walletId: wallet.id })).toEqual(nothing)
})

async function deposit(amount: string): Promise<void> {
  const { status } = await bank.control('POST', `/wallets/${wallet.walletRef}/deposits`, { amount })
  expect(status).toBe(201)
}

/** A transfer that was created at the bank outside our system and refunded into this wallet. */
async function aForeignTransfer(): Promise<string> {
  const asked = { environment: 'live', headers: { 'Api-Key': keys.live } } as const
  const account = await bank.post(`/customers/${wallet.customerRef}/external_accounts`, anAccount(), asked)
  const party = { customer: wallet.customerRef, wallet: wallet.walletRef, account: String(account.json.id) }
  const { json } = await bank.post('/transfers', aTransfer(party), asked)
  for (const state of ['undeliverable', 'refunded']) {
    await bank.control('POST', `/transfers/${json.id}/advance`, { state, last: true })
  }
  return String(json.id)
}

/** A completed payout that the bank has returned and refunded. */
async function aReturned(): Promise<PayoutRef> {
  const payout = await aSent()
  await move(payout, 'payment_processed')
  await steps.settle(payout)
  await move(payout, 'returned')
  await move(payout, 'refunded')
  return payout
}

async function aSent(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id, environment: 'live' })
  await steps.debitPayout(payout)
  expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent' })
  return payout
}

async function move({ payoutId }: PayoutRef, state: string, reason?: string): Promise<void> {
  const { transferRef } = await loadStep(db, payoutId)
  const { status } = await bank.control('POST', `/transfers/${transferRef}/advance`, { state, reason, last: true })
  expect(status).toBe(200)
}

/** Sorted by reason, because all rows of one read have the same time. */
async function heldHere() {
  const held = (await listHeldDeposits(db, 10)).filter(({ walletId }) => walletId === wallet.id)
  return held.toSorted((a, b) => a.why.localeCompare(b.why))
}

async function balance(): Promise<bigint> {
  return (await findWallet(db, partner.id, 'live'))?.balanceMicroUsdc ?? -1n
}

async function suspense(): Promise<bigint> {
  const sql = `SELECT sum(e.amount_micro_usdc)::bigint AS held FROM ledger_entries e
    JOIN ledger_accounts a ON a.id = e.account_id WHERE a.wallet_id = $1 AND a.kind = 'suspense'`
  const [row]: { held: string }[] = await db.dataSource.query(sql, [wallet.id])
  return BigInt(row?.held ?? 0)
}

async function activities(): Promise<string[]> {
  return (await latestActivity(db, partner.id, 100)).map(({ action }) => action)
}

function notices(): Promise<{ kind: string; about: string }[]> {
  return db.dataSource.query(`SELECT kind, about FROM notices WHERE partner_id = $1 AND kind = 'top_up'`, [partner.id])
}
