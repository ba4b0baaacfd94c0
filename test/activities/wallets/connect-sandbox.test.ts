// Connecting a sandbox to its bank changes the wallet's rail and books its money in one transaction, or not at all.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bind } from '../../../activities/bind'
import {
  type ConnectSandboxDeps,
  checkSandboxCustomer,
  connectSandboxWallet,
  createSandboxWallet,
  openSandboxCustomer,
} from '../../../activities/wallets/connect-sandbox'
import { latestActivity } from '../../../db/controls/activity'
import { openPartner } from '../../../db/partners/open'
import { connectWallet, findWallet, lockWallet } from '../../../db/wallets/wallets'
import { createRails, type Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import type { ConnectSandboxActivities, SandboxRefs } from '../../../workflows/wallets/connect-sandbox'
import { keys, openTestBank, useSandboxBank } from '../../support/bank/client'
import { aPayout } from '../../support/db/a-payout'
import { useDatabase } from '../../support/db/database'
import { aClaim, movableClock } from '../../support/stages/payout'
import { until } from '../../support/until'

const clock = systemClock
const floatMicroUsdc = 10_000_000_000n

const db = useDatabase(12)
const bank = useSandboxBank({ fsync: 'off' })
let rails: Rails
let steps: ReturnType<typeof sandboxSteps>
let partners = 0

beforeAll(async () => {
  const sandbox = { url: `${bank.url}/v0`, key: keys.sandbox }
  rails = createRails({ bank: { sandbox, live: null }, clock, timeouts: { connectMs: 10_000, callMs: 10_000 } })
  steps = sandboxSteps({ db, clock, rails })
})

afterAll(() => rails.close())

test('the simulated float is reversed, and the bank’s float is booked with the bank’s movement ID', async () => {
  const partnerId = await aPartnerId()
  const refs = await atTheBank(partnerId)

  expect(await steps.connectSandboxWallet(refs)).toBe('connected')

  const { walletRef, customerRef, address } = refs
  const balanceMicroUsdc = floatMicroUsdc
  const connected = { rail: 'provider_sandbox', walletRef, customerRef, address, balanceMicroUsdc }
  expect(await findWallet(db, partnerId, 'sandbox')).toMatchObject(connected)
  const [float] = await rails.provider_sandbox.walletHistory({ customerRef, walletRef, after: null })
  expect(await setsOf(partnerId)).toEqual([
    { cause: 'float', ref: 'simulated', wallet: floatMicroUsdc, sum: 0n },
    { cause: 'float_reversal', ref: 'simulated', wallet: -floatMicroUsdc, sum: 0n },
    { cause: 'deposit', ref: float?.id, wallet: floatMicroUsdc, sum: 0n },
  ])
  expect(await latestActivity(db, partnerId, 1)).toMatchObject([{ action: 'wallet.connect', environment: 'sandbox' }])
})

test('only the unspent part of the simulated float is reversed', async () => {
  const partnerId = await aPartnerId()
  const wallet = await findWallet(db, partnerId, 'sandbox')
  if (wallet === null) throw new Error('no wallet')
  await aPayout(db, { status: 'completed', completedAt: clock.now() }, wallet)
  await db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE wallet_id = $1', [wallet.id])
  await db.dataSource.query(
    `SELECT post_ledger_set($1, gen_random_uuid(), 'debit', 'spent', NULL, NULL, 'test', now(), '{wallet,in_transit}', '{-3000000,3000000}')`,
    [wallet.id],
  )

  expect(await steps.connectSandboxWallet(await atTheBank(partnerId))).toBe('connected')

  expect(await setsOf(partnerId)).toContainEqual({
    cause: 'float_reversal',
    ref: 'simulated',
    wallet: -(floatMicroUsdc - 3_000_000n),
    sum: 0n,
  })
  expect(await findWallet(db, partnerId, 'sandbox')).toMatchObject({ balanceMicroUsdc: floatMicroUsdc })
})

test('while a simulated payout is open, the wallet is not connected and does not change', async () => {
  const partnerId = await aPartnerId()
  const wallet = await findWallet(db, partnerId, 'sandbox')
  if (wallet === null) throw new Error('no wallet')
  const { id } = await aPayout(db, {}, wallet)
  const refs = await atTheBank(partnerId)

  expect(await steps.connectSandboxWallet(refs)).toBe('busy')
  expect(await findWallet(db, partnerId, 'sandbox')).toEqual(wallet)

  await db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [id])
  expect(await steps.connectSandboxWallet(refs)).toBe('connected')
})

test('ten concurrent runs connect the sandbox once', async () => {
  const partnerId = await aPartnerId()
  const refs = await atTheBank(partnerId)

  const outcomes = await Promise.all(Array.from({ length: 10 }, () => steps.connectSandboxWallet(refs)))

  expect(new Set(outcomes)).toEqual(new Set(['connected']))
  expect((await setsOf(partnerId)).map(({ cause }) => cause)).toEqual(['float', 'float_reversal', 'deposit'])
})

test('lost responses leave one customer and one wallet at the bank, however often the activities are retried', async () => {
  const partnerId = await aPartnerId()
  await bank.fault({ kind: 'reset', stage: 'after', match: { path: '/v0/kyc_links', method: 'POST' }, times: 2 })
  await bank.fault({ kind: 'reset', stage: 'after', match: { path: '/v0/customers*', method: 'POST' }, times: 2 })

  const refs = await atTheBank(partnerId)

  expect(await atTheBank(partnerId)).toEqual(refs)
  const { json } = await bank.get(`/customers/${refs.customerRef}/wallets`)
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([refs.walletRef])
})

test('a connection that started before the bank forgot its idempotency keys is resumed, without duplicates at the bank', async () => {
  const later = await aBankADayLater()
  const partnerId = await aPartnerId()
  const before = await later.atTheBank(partnerId)
  later.forward(25 * 3_600_000)

  expect(await later.atTheBank(partnerId)).toEqual(before)
  expect(await later.customers()).toBe(1)
  await later.close()
})

test('a lost response does not create a second customer or wallet, even after the bank has forgotten the idempotency key', async () => {
  const later = await aBankADayLater()
  const partnerId = await aPartnerId()
  await later.bank.fault({ kind: 'reset', stage: 'after', match: { path: '/v0/kyc_links', method: 'POST' } })
  await expect(later.steps.openSandboxCustomer({ partnerId })).rejects.toThrow('open customer')
  later.forward(25 * 3_600_000)
  const { customerRef } = await later.steps.openSandboxCustomer({ partnerId })
  await later.bank.fault({ kind: 'reset', stage: 'after', match: { path: '/v0/customers*', method: 'POST' } })
  const customer = { partnerId, customerRef: customerRef ?? '' }
  await expect(later.steps.createSandboxWallet(customer)).rejects.toThrow('create wallet')
  later.forward(25 * 3_600_000)
  const { walletRef } = await later.steps.createSandboxWallet(customer)

  expect(await later.customers()).toBe(1)
  const { json } = await later.bank.get(`/customers/${customerRef}/wallets`)
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([walletRef])
  await later.close()
})

test('two partners with the same name and admin become two customers at the bank', async () => {
  const [one, other] = [await atTheBank(await aPartnerId()), await atTheBank(await aPartnerId())]

  expect(one.customerRef).not.toBe(other.customerRef)
  expect(one.walletRef).not.toBe(other.walletRef)
})

test('a payout with a quote for the old rail is refused if its wallet has been connected in the meantime', async () => {
  const partnerId = await aPartnerId()
  const { id: walletId } = (await findWallet(db, partnerId, 'sandbox')) ?? { id: '' }
  const refs = await atTheBank(partnerId)
  const claiming = await db.transaction(async (tx) => {
    await lockWallet(tx, partnerId, 'sandbox')
    const claim = aClaim(db, { partnerId }).then(
      () => 'claimed',
      (error: Error) => error.message,
    )
    await until('the claim waits for the wallet', hasLockWaiter)
    await connectWallet(tx, { ...refs, walletId, rail: 'provider_sandbox', at: clock.now() })
    return { claim }
  })

  expect(await claiming.claim).toBe('the key is taken')
})

test('a wallet is not connected if a payout is created in the meantime', async () => {
  const partnerId = await aPartnerId()
  const wallet = await findWallet(db, partnerId, 'sandbox')
  if (wallet === null) throw new Error('no wallet')
  const earlier = await aPayout(db, {}, wallet)
  await db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [earlier.id])
  const refs = await atTheBank(partnerId)
  const maker = db.dataSource.createQueryRunner()
  await maker.startTransaction()
  await maker.query(
    `INSERT INTO payouts SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'closed_at', NULL,
      'bank_key', gen_random_uuid(), 'idempotency_key', 'order-' || gen_random_uuid()))).* FROM payouts p WHERE id = $1`,
    [earlier.id],
  )

  const connecting = steps.connectSandboxWallet(refs)
  await until('the connection waits for the wallet', hasLockWaiter)
  await maker.commitTransaction()
  await maker.release()

  expect(await connecting).toBe('busy')
})

async function hasLockWaiter(): Promise<boolean> {
  const waiting = await db.dataSource.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return waiting.length > 0
}

async function aPartnerId(): Promise<string> {
  partners += 1
  const partner = { name: 'Acme Ltd', slug: `connect-${partners}`, email: 'ada@acme.test', createdBy: 'ops:grace' }
  const opened = await openPartner({ db, clock }, partner)
  if (opened.outcome !== 'opened') throw new Error(opened.outcome)
  return opened.partner.id
}

/** Runs all activities except the last one, with retries. */
async function atTheBank(partnerId: string, of: ConnectSandboxActivities = steps): Promise<SandboxRefs> {
  const { verificationRef, customerRef, ready } = await repeated(() => of.openSandboxCustomer({ partnerId }))
  if (!ready || customerRef === null) throw new Error('the bank has not approved the customer')
  const wallet = await repeated(() => of.createSandboxWallet({ partnerId, customerRef }))
  return { partnerId, verificationRef, customerRef, ...wallet }
}

/** A separate bank whose clock can be moved together with ours. */
async function aBankADayLater() {
  const moving = movableClock()
  const own = await openTestBank({ fsync: 'off', clock: { nowMs: () => moving.now().getTime() } })
  const access = { sandbox: { url: `${own.url}/v0`, key: keys.sandbox }, live: null }
  const ownRails = createRails({ bank: access, clock: moving, timeouts: { connectMs: 10_000, callMs: 10_000 } })
  const ownSteps = sandboxSteps({ db, clock: moving, rails: ownRails })
  return {
    bank: own,
    steps: ownSteps,
    forward: (ms: number) => moving.forward(ms),
    atTheBank: (partnerId: string) => atTheBank(partnerId, ownSteps),
    customers: async () => (await own.get('/customers')).json.count,
    close: async () => {
      ownRails.close()
      await own.close()
    },
  }
}

async function repeated<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step()
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}

interface LedgerSet {
  readonly cause: string
  readonly ref: string
  readonly wallet: bigint
  readonly sum: bigint
}

function setsOf(partnerId: string): Promise<LedgerSet[]> {
  return db.sql<LedgerSet>`SELECT s.cause, s.cause_ref AS ref, sum(e.amount_micro_usdc)::bigint AS sum,
      (sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'wallet'))::bigint AS wallet
    FROM ledger_sets s JOIN wallets w ON w.id = s.wallet_id AND w.environment = 'sandbox'
    JOIN ledger_entries e ON e.set_id = s.id JOIN ledger_accounts a ON a.id = e.account_id
    WHERE w.partner_id = ${partnerId} GROUP BY s.id, s.cause, s.cause_ref ORDER BY min(e.id)`
}

function sandboxSteps(deps: ConnectSandboxDeps) {
  return bind(deps, { openSandboxCustomer, checkSandboxCustomer, createSandboxWallet, connectSandboxWallet })
}
