// If the bank provably has no transfer for an acknowledged payout, the payout waits, can be cancelled, or fails
// with a stable reason.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Db, Tx } from '../../../db/database'
import { lockPartner, updatePartner } from '../../../db/partners/partners'
import { beginSubmit, loadStep, markAnswered, withdrawSubmit } from '../../../db/payouts/steps'
import { findWallet } from '../../../db/wallets/wallets'
import type { Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { openTestBank, still, type TestBank, until } from '../../support/bank/client'
import { anAccount } from '../../support/bank/parties'
import { useDatabase } from '../../support/db/database'
import { actingAfter } from '../../support/db/tapped'
import { aClaim, aConnectedPartner, railsTo, stepDeps } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const toTransfers = { method: 'POST', path: '/v0/transfers' }
const toAccounts = { method: 'POST', path: '/v0/customers/*/external_accounts' }
const unsent = { at: 'unsent', verdict: { outcome: 'kept' }, status: 'pending' }

const db = useDatabase()
let bank: TestBank
let rails: Rails
let steps: ReturnType<typeof payoutActivities>
let partnerId: string

const readsStep = (tx: Tx) => loadStep(tx, '')
const beginsSubmit = (tx: Tx) => beginSubmit(tx, { payoutId: '', attempt: 1, body: '', at: new Date(0) })
const withdrawsSubmit = (tx: Tx) => withdrawSubmit(tx, { payoutId: '', attempt: 1, key: '', newKey: '' })

describe.each(['forgotten', 'replayed'] as const)(
  'when the bank’s refusals for an idempotency key are %s',
  (refusals) => {
    beforeEach(() => open(refusals))
    afterEach(close)

    test.each([
      ['too many requests', { kind: 'status', status: 429 }, null],
      ['a lost race for the wallet', { kind: 'busy' }, null],
      ['a bad API key', { kind: 'status', status: 401 }, 'bank_misconfigured'],
      ['our own limit', { kind: 'status', status: 403, code: 'developer_limits_exceeded' }, 'bank_misconfigured'],
    ])(
      'a payout refused because of %s waits with a new bank key, and is sent when the cause is gone',
      async (_name, fault, attention) => {
        const payout = await anAcknowledged()
        const { bankKey } = await loadStep(db, payout.payoutId)
        await bank.fault({ ...fault, times: null, match: toTransfers })

        expect(await steps.submitToRail(payout)).toMatchObject(unsent)

        const waiting = await loadStep(db, payout.payoutId)
        expect(waiting).toMatchObject({ submitStartedAt: null, bankBody: null, verdict: null, attention })
        expect(waiting.bankKey).not.toBe(bankKey)
        await bank.control('DELETE', '/faults')
        expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent', status: 'processing' })
        expect(await transfersOf(payout)).toHaveLength(1)
        expect((await loadStep(db, payout.payoutId)).attention).toBeNull()
      },
    )

    test('a payout waits for an operator when our ledger covers it but the bank’s wallet does not', async () => {
      const payout = await anAcknowledged()
      await drain()

      expect(await steps.submitToRail(payout)).toMatchObject(unsent)
      expect((await loadStep(db, payout.payoutId)).attention).toBe('bank_insufficient')
    })

    test('all payouts that race for one wallet are eventually sent, once each', async () => {
      const payouts = await Promise.all([1, 2, 3, 4].map(() => anAcknowledged()))
      await bank.fault({ kind: 'busy', racing: 'only', times: null, match: toTransfers })

      for (let round = 0; round < 4; round++) await Promise.all(payouts.map((payout) => steps.submitToRail(payout)))
      await bank.control('DELETE', '/faults')
      for (const payout of payouts) expect(await steps.submitToRail(payout)).toMatchObject({ at: 'sent' })

      for (const payout of payouts) expect(await transfersOf(payout)).toHaveLength(1)
    })
  },
)

describe('when a payout is not sent immediately', () => {
  beforeEach(() => open('forgotten'))
  afterEach(close)

  test('a cancel succeeds while the bank provably has no transfer', async () => {
    const before = await balance()
    const payout = await anAcknowledged()
    await bank.fault({ kind: 'status', status: 401, times: null, match: toTransfers })
    await steps.submitToRail(payout)

    expect(await steps.cancelPayout(payout)).toMatchObject({ at: 'over', status: 'cancelled' })
    expect(await balance()).toBe(before)
    expect((await loadStep(db, payout.payoutId)).attention).toBeNull()
  })

  test('a run uses the new bank key if another run replaced the key after the row was read', async () => {
    const payout = await anAcknowledged()
    const { bankKey } = await loadStep(db, payout.payoutId)
    await bank.fault({ kind: 'status', status: 429, times: null, match: toTransfers })
    const overtaken = after(readsStep, 1, async () => {
      await steps.submitToRail(payout)
      await bank.control('DELETE', '/faults')
    })
    const used: string[] = []
    const { provider_sandbox: sandbox } = rails
    const submit = (transfer: Parameters<typeof sandbox.submit>[0]) => {
      used.push(transfer.key)
      return sandbox.submit(transfer)
    }
    const deps = stepDeps(overtaken, { ...rails, provider_sandbox: { ...sandbox, submit } })

    const sent = await payoutActivities(deps).submitToRail(payout)

    const row = await loadStep(db, payout.payoutId)
    expect(sent).toMatchObject({ at: 'sent' })
    expect(used).toEqual([row.bankKey])
    expect(row.bankKey).not.toBe(bankKey)
  })

  test.each([
    ['withdraws', withdrawsSubmit, 1, 'unsent'],
    ['repeats with another key', beginsSubmit, 2, 'sent'],
  ])(
    'the payout is sent once when a second run sees a call that the first run then %s',
    async (_name, reached, times, at) => {
      const payout = await anAcknowledged()
      await bank.fault({ kind: 'status', status: 429, times: 1, match: toTransfers })
      const limits = { repeatForMs: 60_000, listLagMs: 0, answerWithinMs: 60_000, answerCallMs: 2_000 }
      const { bankKey } = await loadStep(db, payout.payoutId)
      const { provider_sandbox: sandbox } = rails

      let goOn = () => {}
      const isOvertaken = new Promise<void>((resolve) => (goOn = resolve))
      let second = Promise.resolve<unknown>(null)
      const startSecond = () =>
        new Promise<void>((hasSeen) => {
          const late = after(readsStep, 1, () => {
            hasSeen()
            return isOvertaken
          })
          const deps = stepDeps(late, rails, { limits })
          second = payoutActivities(deps).resolveSubmit(payout)
        })
      const submit = async (transfer: Parameters<typeof sandbox.submit>[0]) => {
        await (transfer.key === bankKey ? startSecond() : second)
        return sandbox.submit(transfer)
      }
      const calling = after(reached, times, async () => goOn())
      const deps = stepDeps(calling, { ...rails, provider_sandbox: { ...sandbox, submit } }, { limits })

      expect(await payoutActivities(deps).submitToRail(payout)).toMatchObject({ at: 'sent' })
      expect(await second).toMatchObject({ at })
      expect(await transfersOf(payout)).toHaveLength(1)
      expect((await loadStep(db, payout.payoutId)).attention).toBeNull()
    },
  )

  test('a registration whose response was lost is retried, and the bank registers the account once', async () => {
    const payout = await aClaim(db, { partnerId })
    await steps.debitPayout(payout)
    await markAnswered(db, { ...payout, at: systemClock.now() })
    await bank.fault({ kind: 'reset', stage: 'after', times: 1, match: toAccounts })

    expect(await steps.submitToRail(payout)).toMatchObject(unsent)
    await until('it is sent', async () => (await steps.submitToRail(payout)).at === 'sent')

    const { customerRef } = await loadStep(db, payout.payoutId)
    const { json } = await bank.get(`/customers/${customerRef}/external_accounts?limit=100`)
    // One account belongs to the payout that open() sends, the other to this payout.
    expect(json.data).toHaveLength(2)
  })

  test('a payout waits for an operator when the bank rejects the API key that registers its recipient', async () => {
    const payout = await aClaim(db, { partnerId })
    await steps.debitPayout(payout)
    await markAnswered(db, { ...payout, at: systemClock.now() })
    await bank.fault({ kind: 'status', status: 401, times: null, match: toAccounts })

    expect(await steps.submitToRail(payout)).toMatchObject(unsent)
    expect(await steps.submitToRail(payout)).toMatchObject(unsent)
    expect((await loadStep(db, payout.payoutId)).attention).toBe('bank_misconfigured')
  })

  test('a payout fails immediately and is refunded if its USDC no longer suffices at the new rate', async () => {
    const before = await balance()
    const payout = await anAcknowledged(100_000n)
    await bank.fault({ kind: 'rate_jump', sell_rate: '0.78', times: null })

    expect(await steps.submitToRail(payout)).toMatchObject({ at: 'over', status: 'failed' })

    expect(await failureOf(payout)).toMatch(/^quote_expired: /)
    expect(await balance()).toBe(before)
    expect(await transfersOf(payout)).toHaveLength(0)
  })

  test('an unacknowledged request is refused with 502 when only the rate moved', async () => {
    const payout = await aDebited(100_000n)
    await bank.fault({ kind: 'rate_jump', sell_rate: '0.78', times: null })

    expect(await steps.submitToRail(payout)).toMatchObject({
      verdict: { outcome: 'refused', code: 'payout_not_created' },
    })
  })

  test('a refused source amount is retried without assuming a reason while the bank returns no rate', async () => {
    const payout = await anAcknowledged(100_000n)
    await bank.fault({ kind: 'rate_jump', sell_rate: '0.78', times: null })
    await bank.fault({
      kind: 'status',
      status: 503,
      times: null,
      match: { method: 'GET', path: '/v0/exchange_rates*' },
    })

    expect(await steps.submitToRail(payout)).toMatchObject(unsent)
  })

  test('a suspended partner’s payout is not sent, can be cancelled, and is sent after reactivation', async () => {
    const [waiting, cancelled] = [await aDebited(), await aDebited()]
    await setStatus('suspended')

    for (const payout of [waiting, cancelled]) expect(await steps.submitToRail(payout)).toMatchObject(unsent)
    expect(await steps.cancelPayout(cancelled)).toMatchObject({ at: 'over', status: 'cancelled' })
    await setStatus('active')

    expect(await steps.submitToRail(waiting)).toMatchObject({ at: 'sent' })
    expect([(await transfersOf(waiting)).length, (await transfersOf(cancelled)).length]).toEqual([1, 0])
  })

  test('a suspension between reading the row and the first call takes effect', async () => {
    const payout = await aDebited()
    const suspended = after(readsStep, 1, () => setStatus('suspended'))
    const deps = stepDeps(suspended, rails)

    const answer = await payoutActivities(deps).submitToRail(payout)

    expect(answer).toMatchObject({ ...unsent, says: 'waiting: the partner is not active' })
    expect(await transfersOf(payout)).toHaveLength(0)
    await setStatus('active')
  })

  test('a lost response is looked up but not retried while the partner is suspended', async () => {
    const payout = await aDebited()
    await bank.fault({ kind: 'reset', stage: 'before', times: 1, match: toTransfers })
    expect(await steps.submitToRail(payout)).toMatchObject({ at: 'unknown' })
    await setStatus('suspended')

    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'unknown' })
    expect(await transfersOf(payout)).toHaveLength(0)
    await setStatus('active')
    expect(await steps.resolveSubmit(payout)).toMatchObject({ at: 'sent' })
  })
})

describe('an amount below the bank’s minimum', () => {
  beforeEach(() => open('forgotten', 3_000_000n))
  afterEach(close)

  test('causes an acknowledged payout to fail with a stable reason', async () => {
    const payout = await anAcknowledged(100n)

    expect(await steps.submitToRail(payout)).toMatchObject({ at: 'over', status: 'failed' })
    expect(await failureOf(payout)).toBe('amount_rejected: The bank does not pay this amount.')
  })

  test('causes an unacknowledged payout to be refused with invalid_amount', async () => {
    const payout = await aDebited(100n)

    expect(await steps.submitToRail(payout)).toMatchObject({ verdict: { outcome: 'refused', code: 'invalid_amount' } })
  })
})

async function open(refusals: 'forgotten' | 'replayed', sourceMinimumMicro = 10_000n): Promise<void> {
  bank = await openTestBank({ delaysMs: still, fsync: 'off', refusals, sourceMinimumMicro })
  rails = railsTo(bank)
  partnerId = (await aConnectedPartner(db, bank)).id
  const limits = { repeatForMs: 60_000, listLagMs: 0, answerWithinMs: 400, answerCallMs: 2_000 }
  const deps = stepDeps(db, rails, { limits })
  steps = payoutActivities(deps)
  // Registers the recipient in advance, so that the time limit covers only the transfer, however slow the machine is.
  const known = stepDeps(db, rails, { limits: { ...limits, answerWithinMs: 60_000 } })
  await payoutActivities(known).submitToRail(await aDebited(400n))
}

async function close(): Promise<void> {
  await requireValidLedger(db.dataSource)
  rails.close()
  await bank.close()
}

async function aDebited(amountPence = 12_000n): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId, amountPence, accountNumber: '38290008' })
  expect(await steps.debitPayout(payout)).toEqual({ at: 'held' })
  return payout
}

async function anAcknowledged(amountPence?: bigint): Promise<PayoutRef> {
  const payout = await aDebited(amountPence)
  expect(await markAnswered(db, { ...payout, at: systemClock.now() })).toBe(true)
  return payout
}

/** A database that runs `act` once the sender's statement has run `times` times, before it returns the result. */
function after(sender: (tx: Tx) => Promise<unknown>, times: number, act: () => Promise<void>): Db {
  let left = times
  return actingAfter(db, sender, async () => {
    if (--left === 0) await act()
  })
}

async function transfersOf({ payoutId }: PayoutRef): Promise<unknown[]> {
  return (await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)).json.data
}

/** Withdraws most of the wallet's money at the bank, outside our system. */
async function drain(): Promise<void> {
  const [row] = await db.dataSource.query(
    `SELECT customer_ref AS customer, wallet_ref AS wallet FROM wallets WHERE partner_id = $1 AND environment = 'sandbox'`,
    [partnerId],
  )
  const account = await bank.post(`/customers/${row.customer}/external_accounts`, anAccount())
  const drained = await bank.post('/transfers', {
    on_behalf_of: row.customer,
    source: { payment_rail: 'bridge_wallet', currency: 'usdc', bridge_wallet_id: row.wallet, amount: '9990.00' },
    destination: {
      payment_rail: 'faster_payments',
      currency: 'gbp',
      external_account_id: account.json.id,
      amount: '7000.00',
    },
  })
  expect(drained.status).toBe(201)
}

async function setStatus(status: 'active' | 'suspended'): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPartner(tx, partnerId)
    await updatePartner(tx, partnerId, { status }, systemClock.now())
  })
}

async function failureOf({ payoutId }: PayoutRef): Promise<string> {
  const [row] = await db.dataSource.query('SELECT failure_reason AS reason FROM payouts WHERE id = $1', [payoutId])
  return row.reason
}

async function balance(): Promise<bigint> {
  return (await findWallet(db, partnerId, 'sandbox'))?.balanceMicroUsdc ?? -1n
}
