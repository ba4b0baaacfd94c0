// `partner demo`: opens a demo partner with one finished month at simulated banks, using the ordinary payout steps.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { PayoutDeps } from '../../activities/bind'
import { runProof } from '../../activities/controls/proof/run'
import { chargePayout } from '../../activities/payouts/charge'
import { debitPayout } from '../../activities/payouts/debit'
import { pollReturn, pollSettlement } from '../../activities/payouts/settle'
import { submitToRail } from '../../activities/payouts/submit'
import { depositToWallet } from '../../activities/wallets/top-up'
import { readPayoutRequest } from '../../api/payouts/request/order'
import { newId } from '../../db/id'
import { type AccountRow, loadAccount } from '../../db/partners/accounts'
import { createApiKey } from '../../db/partners/api-keys'
import { openPartner } from '../../db/partners/open'
import { claimPayout } from '../../db/payouts/claims'
import { fingerprintOf } from '../../db/payouts/fingerprint'
import { accountHash, sealDetails } from '../../db/payouts/recipients/sealed'
import { loadStep } from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import type { MicroUsdc } from '../../domain/money'
import { londonMonthOf, type Month, monthInWords, previousMonth, startOf } from '../../domain/month'
import { quoteFor } from '../../domain/payouts/quote'
import type { GbpPerUsdNano } from '../../domain/rate'
import { createRails, type Rails } from '../../rail/rails'
import type { SimulatedBank } from '../../rail/simulated-bank'
import type { Clock } from '../../runtime/clock'
import { createLog } from '../../runtime/log'
import type { PayoutRef } from '../../workflows/payouts/payout'
import { withSimulatedBank } from '../bank/simulated'
import { type Answer, defineCommand, done } from '../command'
import type { Ops } from '../connect'
import { recordChange } from '../controls/record-change'
import { creditAmount, email, partnerName, required, slug } from '../options'
import { connectSoon, slugTaken } from './lifecycle'
import { approvePartner } from './verification'

/**
 * Only a past month can be billed, voided and credited, and a new account has none. So the account is opened, verified and
 * used in the previous month: every step runs with a clock set to its day.
 */
export const demoPartner = defineCommand('partner demo', {
  about:
    'Opens a demo partner at simulated banks: verified in the previous month, with uninvoiced live payouts of that month. Works only if both banks are on this machine. Run it before a worker starts.',
  options: {
    name: required(partnerName, "The business's name."),
    slug: required(slug, 'The short name in URLs and commands.'),
    email: required(email, 'The admin, who is also the contact.'),
    usdc: required(creditAmount, 'The final balance of the live wallet.'),
  },
  example: ['--name', 'Demo Ltd', '--slug', 'demo', '--email', 'ada@demo.test', '--usdc', '10000.00'],
  async run(ops, given) {
    return withSimulatedBank(ops, 'sandbox', () =>
      withSimulatedBank(ops, 'live', ({ bank }) => openDemo(ops, bank, given)),
    )
  },
})

interface Wanted {
  readonly name: string
  readonly slug: string
  readonly email: string
  readonly usdc: MicroUsdc
}

async function openDemo(ops: Ops, bank: SimulatedBank, { usdc, ...about }: Wanted): Promise<Answer> {
  const { db, madeBy } = ops
  const month = previousMonth(londonMonthOf(ops.clock.now()))
  const opening = clockOn(ops, month, { day: 2, hour: 9 })
  const opened = await openPartner({ db, clock: opening }, { ...about, createdBy: madeBy })
  if (opened.outcome === 'slug_taken') return slugTaken(about.slug)
  const { id: partnerId } = opened.partner

  const stage: Stage = { ops, bank, month, partnerId }
  await withRails(ops, opening, async (rails) => {
    const rail = rails.provider_production
    const log = { error: () => {} }
    await approvePartner({ db, clock: opening, rail, bank, madeBy, log, redirectUrl: null }, partnerId)
  })
  const keys = { sandbox: await newKey(stage, 'sandbox'), live: await newKey(stage, 'live') }
  await payMonth(stage, usdc, `key:${keys.live.prefix}`)
  await reconcile(ops)
  await connectSoon(ops, partnerId)
  const json = {
    id: partnerId,
    slug: about.slug,
    month,
    keys: { sandbox: keys.sandbox.secret, live: keys.live.secret },
  }
  return done(json, `${about.slug} has uninvoiced payouts from ${monthInWords(month)}.`)
}

/** The wallets were opened a month ago, so without this they count as never reconciled until the first scheduled proof. */
async function reconcile(ops: Ops): Promise<void> {
  const { db, clock, proof: limits } = ops
  const log = createLog({ level: 'silent', name: 'ops' })
  await withRails(ops, clock, (rails) => runProof({ db, clock, rails, limits, log }, 'changes'))
}

interface Stage {
  readonly ops: Ops
  readonly bank: SimulatedBank
  readonly month: Month
  readonly partnerId: string
}

interface DemoPayout {
  readonly key: string
  readonly day: number
  readonly amount_gbp: string
  readonly reference: string
  readonly recipient: { readonly first_name: string; readonly last_name: string }
  readonly account_number: string
  /** The day on which the recipient's bank returns it, or null. */
  readonly returnedOn: number | null
}

/** Covers every kind of invoice line: fees, network fees, an exception and a credit. */
const demoPayouts: readonly DemoPayout[] = [
  demoPayout('demo-order-1', 5, '250.00', 'Order 2041', 'Grace', 'Hopper', '55779911'),
  demoPayout('demo-order-2', 9, '1200.00', 'Order 2057', 'Alan', 'Turing', '41938245'),
  demoPayout('demo-order-3', 14, '75.50', 'Refund 318', 'Mary', 'Somerville', '60304422'),
  { ...demoPayout('demo-order-4', 19, '480.00', 'Order 2098', 'Charles', 'Babbage', '19283746'), returnedOn: 22 },
  demoPayout('demo-order-5', 26, '99.99', 'Order 2113', 'Ada', 'Lovelace', '70872490'),
]

function demoPayout(
  key: string,
  day: number,
  amount_gbp: string,
  reference: string,
  first_name: string,
  last_name: string,
  account_number: string,
): DemoPayout {
  return { key, day, amount_gbp, reference, recipient: { first_name, last_name }, account_number, returnedOn: null }
}

/** The deposit covers the payouts that are not returned, so that the final balance is `usdc`. */
async function payMonth(stage: Stage, usdc: MicroUsdc, createdBy: string): Promise<void> {
  const { ops, bank, month, partnerId } = stage
  const { db, madeBy } = ops
  const funding = clockOn(ops, month, { day: 2, hour: 11 })
  const account = await loadAccount(db, { partnerId, environment: 'live', at: funding.now() })
  const { gbpPerUsdNano } = await withRails(ops, ops.clock, (rails) => rails.provider_production.rate())
  const sent = demoPayouts.filter(({ returnedOn }) => returnedOn === null)
  const spent = sent.reduce((sum, payout) => sum + quoteOf(payout, account, gbpPerUsdNano).walletSendsMicroUsdc, 0n)
  await withRails(ops, funding, async (rails) => {
    const deposit = { partnerId, environment: 'live', causeRef: 'demo', createdBy: madeBy } as const
    const deps = { db, clock: funding, rail: rails.provider_production, bank }
    await depositToWallet(deps, { ...deposit, amountMicroUsdc: usdc + spent })
  })
  // In sequence: the bank may refuse one of two concurrent payouts of a wallet as busy.
  for (const payout of demoPayouts) await payOne(stage, payout, { account, gbpPerUsdNano, createdBy })
}

interface Terms {
  readonly account: AccountRow
  readonly gbpPerUsdNano: GbpPerUsdNano
  readonly createdBy: string
}

async function payOne({ ops, bank, month, partnerId }: Stage, payout: DemoPayout, terms: Terms): Promise<void> {
  const at = (day: number, hour: number) => clockOn(ops, month, { day, hour })
  const sent = await withDeps(ops, at(payout.day, 10), async (deps) => {
    const claimed = await claim(ops, { partnerId, payout, clock: deps.clock, ...terms })
    await debitPayout(deps, claimed)
    await submitToRail(deps, claimed)
    return claimed
  })
  const { transferRef } = await loadStep(ops.db, sent.payoutId)
  // The payout was not sent. The worker continues it like any other.
  if (transferRef === null) return
  await bank.simulate({ transferRef, outcome: 'settle', reason: null })
  await withDeps(ops, at(payout.day, 10.1), async (deps) => {
    const { at: step } = await pollSettlement(deps, sent)
    if (step === 'settled') await chargePayout(deps, sent)
  })
  if (payout.returnedOn === null) return
  await bank.simulate({ transferRef, outcome: 'return', reason: 'account_closed' })
  await withDeps(ops, at(payout.returnedOn, 15), async (deps) => {
    for (let looks = 0; looks < 50; looks++) {
      const { at: where } = await pollReturn(deps, { payoutId: sent.payoutId })
      if (where === 'over') return
      await wait(100)
    }
  })
}

async function claim(
  ops: Ops,
  { partnerId, payout, clock, account, gbpPerUsdNano, createdBy }: Terms & ClaimOf,
): Promise<PayoutRef> {
  const wanted = readPayoutRequest(requestOf(payout))
  const { sortCode, accountNumber } = wanted.details
  const keyring = ops.keyring()
  const at = clock.now()
  const payoutId = newId(at)
  const claimed = await claimPayout(ops.db, {
    payoutId,
    partnerId,
    environment: 'live',
    walletId: account.walletId,
    rail: account.rail,
    idempotencyKey: payout.key,
    fingerprint: fingerprintOf(keyring, wanted.fields),
    reference: wanted.reference,
    country: wanted.country,
    createdVia: 'api',
    createdBy,
    keyId: null,
    quote: quoteOf(payout, account, gbpPerUsdNano),
    recipientName: wanted.recipientName,
    accountLast4: accountNumber.slice(-4),
    accountHash: accountHash(keyring, sortCode, accountNumber),
    sealedRecipient: sealDetails(keyring, payoutId, wanted.details),
    bankKey: randomUUID(),
    requestId: null,
    payerId: null,
    at,
  })
  assert(claimed !== null && typeof claimed !== 'string', 'the key of a new partner is free')
  return { payoutId: claimed.id, attempt: claimed.attempt }
}

interface ClaimOf {
  readonly partnerId: string
  readonly payout: DemoPayout
  readonly clock: Clock
}

function requestOf({ amount_gbp, reference, recipient, account_number }: DemoPayout) {
  const address = { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4LB' }
  const bank = { bank_name: 'Example Bank', sort_code: '200415', account_number }
  return { amount_gbp, reference, recipient: { ...recipient, address, bank } }
}

function quoteOf(payout: DemoPayout, prices: AccountRow, gbpPerUsdNano: GbpPerUsdNano) {
  return quoteFor({ amountPence: readPayoutRequest(requestOf(payout)).amountPence, prices, gbpPerUsdNano })
}

async function newKey({ ops, month, partnerId }: Stage, environment: Environment) {
  const at = clockOn(ops, month, { day: 2, hour: 10 }).now()
  const order = { partnerId, environment, label: 'demo', createdBy: ops.madeBy, at, keyring: ops.keyring() }
  return ops.db.transaction(async (tx) => {
    const created = await createApiKey(tx, order)
    assert(created.outcome === 'created', 'a new approved partner is below the key limit')
    const { keyPrefix: prefix } = created.key
    await recordChange(ops, tx, { partnerId, environment, at, action: 'key.create', detail: prefix })
    return { secret: created.secret, prefix }
  })
}

async function withDeps<T>(ops: Ops, clock: Clock, work: (deps: PayoutDeps) => Promise<T>): Promise<T> {
  const { db, payouts } = ops
  const log = createLog({ level: 'silent', name: 'ops' })
  const limits = { ...payouts, answerWithinMs: timeouts.callMs, answerCallMs: timeouts.callMs }
  return withRails(ops, clock, (rails) => work({ db, clock, keyring: ops.keyring(), rails, log, limits }))
}

const timeouts = { connectMs: 2_000, callMs: 10_000 }

async function withRails<T>({ bank }: Ops, clock: Clock, work: (rails: Rails) => Promise<T>): Promise<T> {
  const rails = createRails({ bank, clock, timeouts })
  try {
    return await work(rails)
  } finally {
    rails.close()
  }
}

/** A running clock that starts at that hour of the month. */
function clockOn({ clock }: Ops, month: Month, { day, hour }: { day: number; hour: number }): Clock {
  const start = startOf(month).getTime() + ((day - 1) * 24 + hour) * 3_600_000
  const since = clock.now().getTime()
  return { now: () => new Date(start + clock.now().getTime() - since) }
}
