// `partner demo` opens a demo partner at simulated banks, with payouts in three past months and this one. It uses the
// ordinary payout steps.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { PayoutDeps } from '../../activities/bind'
import { runProof } from '../../activities/controls/proof/run'
import { cancelPayout } from '../../activities/payouts/cancel'
import { chargePayout } from '../../activities/payouts/charge'
import { debitPayout } from '../../activities/payouts/debit'
import { pollReturn, pollSettlement } from '../../activities/payouts/settle'
import { submitToRail } from '../../activities/payouts/submit'
import { depositToWallet } from '../../activities/wallets/top-up'
import { readPayoutRequest } from '../../api/payouts/request/order'
import { type ActivityEntry, recordActivity } from '../../db/controls/activity'
import type { Tx } from '../../db/database'
import { newId } from '../../db/id'
import { markInvoiceMailed } from '../../db/invoices/invoices'
import { issueInvoice } from '../../db/invoices/issue'
import { markInvoicePaid, voidInvoice } from '../../db/invoices/moves'
import { type AccountRow, loadAccount } from '../../db/partners/accounts'
import { createApiKey } from '../../db/partners/api-keys'
import { listNoticeGroups, takeNotices } from '../../db/partners/notices'
import { openPartner } from '../../db/partners/open'
import { claimPayout } from '../../db/payouts/claims'
import { fingerprintOf } from '../../db/payouts/fingerprint'
import { accountHash, sealDetails } from '../../db/payouts/recipients/sealed'
import { loadStep } from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import type { MicroUsdc } from '../../domain/money'
import { londonMonthOf, type Month, monthInWords, nextMonth, previousMonth } from '../../domain/month'
import { quoteFor } from '../../domain/payouts/quote'
import type { GbpPerUsdNano } from '../../domain/rate'
import { createRails, type Rails } from '../../rail/rails'
import type { SimulatedBank } from '../../rail/simulated-bank'
import type { Clock } from '../../runtime/clock'
import { createLog } from '../../runtime/log'
import type { PayoutRef } from '../../workflows/payouts/payout'
import { withSimulatedBank } from '../bank/simulated'
import { type Answer, type Command, defineCommand, done } from '../command'
import { type Ops, recordChange } from '../connect'
import { creditAmount, email, partnerName, required, slug } from '../options'
import { type Calendar, calendarOf, type DemoPayout, demoMonths, recentCalendar, requestOf } from './demo-months'
import { connectSoon, slugTaken } from './lifecycle'
import { approvePartner } from './verification'

/**
 * The demo must show something on every page of the dashboard, and only a past month can be billed, voided and
 * credited. So the account is opened, verified and used in the past: every step runs with a clock set to its day, in
 * chronological order. The last finished month has no invoice. The sandbox is not connected to its bank yet, so its
 * payouts are simulated.
 */
const demo = defineCommand('partner demo', {
  about:
    'Opens a demo partner at simulated banks, with live payouts in the last three months and this one, and no invoice for last month. Works only if both banks are on this machine. Run it before a worker starts.',
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

export const commands: readonly Command[] = [demo]

interface Wanted {
  readonly name: string
  readonly slug: string
  readonly email: string
  readonly usdc: MicroUsdc
}

async function openDemo(ops: Ops, bank: SimulatedBank, { usdc, ...about }: Wanted): Promise<Answer> {
  const { db, madeBy } = ops
  // A mistake in these settings must stop the command before it creates anything.
  const seller = ops.seller()
  const month = previousMonth(londonMonthOf(ops.clock.now()))
  const first = previousMonth(previousMonth(month))
  const opening = calendarOf(ops, first)(2, 9)
  const opened = await openPartner({ db, clock: opening }, { ...about, createdBy: madeBy })
  if (opened.outcome === 'slug_taken') return slugTaken(about.slug)
  const { id: partnerId } = opened.partner

  const stage: Stage = { ops, seller, bank, month: first, calendar: calendarOf(ops, first), partnerId }
  const inMonth = (each: Month): Stage => ({ ...stage, month: each, calendar: calendarOf(ops, each) })
  await withRails(ops, opening, async (rails) => {
    const rail = rails.provider_production
    const log = { error: () => {} }
    await approvePartner({ db, clock: opening, rail, bank, madeBy, log, redirectUrl: null }, partnerId)
  })
  const keys = { sandbox: await newKey(stage, 'sandbox'), live: await newKey(stage, 'live') }
  const createdBy = `key:${keys.live.prefix}`
  await payMonth(stage, demoMonths.first, { atEndMicroUsdc: usdc, createdBy })
  await billMonth(stage, 'paid')
  await payMonth(inMonth(nextMonth(first)), demoMonths.second, { atEndMicroUsdc: 0n, createdBy })
  await billMonth(inMonth(nextMonth(first)), 'open')
  await payMonth(inMonth(month), demoMonths.last, { atEndMicroUsdc: 0n, createdBy })
  const current = { ...inMonth(nextMonth(month)), calendar: recentCalendar(ops) }
  await payMonth(current, demoMonths.current, { atEndMicroUsdc: 0n, createdBy })
  await payInSandbox(current, `key:${keys.sandbox.prefix}`)
  await dropNotices(ops, partnerId)
  await reconcile(ops)
  await connectSoon(ops, partnerId)
  const json = {
    id: partnerId,
    slug: about.slug,
    month,
    keys: { sandbox: keys.sandbox.secret, live: keys.live.secret },
  }
  return done(json, `${about.slug} has three months of payouts, and no invoice for ${monthInWords(month)}.`)
}

/**
 * The wallets were opened months ago. Without this they would count as never reconciled until the first scheduled
 * proof.
 */
async function reconcile(ops: Ops): Promise<void> {
  const { db, clock, proof: limits } = ops
  const log = createLog({ level: 'silent', name: 'ops' })
  await withRails(ops, clock, (rails) => runProof({ db, clock, rails, limits, log }, 'changes'))
}

interface Stage {
  readonly ops: Ops
  readonly seller: ReturnType<Ops['seller']>
  readonly bank: SimulatedBank
  readonly month: Month
  readonly calendar: Calendar
  readonly partnerId: string
}

interface Paying {
  /** The balance that the wallet should have at the end of the month. */
  readonly atEndMicroUsdc: MicroUsdc
  readonly createdBy: string
}

/** Deposits the final balance and the cost of the completed payouts, then makes the payouts. */
async function payMonth(stage: Stage, payouts: readonly DemoPayout[], paying: Paying): Promise<void> {
  const { atEndMicroUsdc, createdBy } = paying
  const { ops, bank, month, partnerId } = stage
  const { db, madeBy } = ops
  const funding = stage.calendar(2, 11)
  const terms = await termsIn(stage, 'live', createdBy)
  const { account, gbpPerUsdNano } = terms
  const sent = payouts.filter(({ end }) => end === 'completed')
  const spent = sent.reduce((sum, payout) => sum + quoteOf(payout, account, gbpPerUsdNano).walletSendsMicroUsdc, 0n)
  await withRails(ops, funding, async (rails) => {
    const deposit = { partnerId, environment: 'live', causeRef: `demo/${month}`, createdBy: madeBy } as const
    const deps = { db, clock: funding, rail: rails.provider_production, bank }
    await depositToWallet(deps, { ...deposit, amountMicroUsdc: atEndMicroUsdc + spent })
  })
  // Pays in sequence, because the bank may refuse concurrent payouts from one wallet.
  for (const payout of payouts) await payOne(stage, payout, terms)
}

/** A new sandbox has test money, so these payouts need no deposit. */
async function payInSandbox(stage: Stage, createdBy: string): Promise<void> {
  const terms = await termsIn(stage, 'sandbox', createdBy)
  for (const payout of demoMonths.sandbox) await payOne(stage, payout, terms)
}

async function termsIn(stage: Stage, environment: Environment, createdBy: string): Promise<Terms> {
  const { ops, partnerId, calendar } = stage
  const account = await loadAccount(ops.db, { partnerId, environment, at: calendar(2, 11).now() })
  const { gbpPerUsdNano } = await withRails(ops, ops.clock, (rails) => rails[account.rail].rate())
  return { account, gbpPerUsdNano, createdBy }
}

interface Terms {
  readonly account: AccountRow
  readonly gbpPerUsdNano: GbpPerUsdNano
  readonly createdBy: string
}

async function payOne(stage: Stage, payout: DemoPayout, terms: Terms): Promise<void> {
  const { ops, bank, calendar: at, partnerId } = stage
  // The simulated rail decides on its own, by the account number.
  const simulate = async (order: Parameters<SimulatedBank['simulate']>[0]) => {
    if (terms.account.rail !== 'simulated') await bank.simulate(order)
  }
  const isHeld = payout.end === 'failed' && terms.account.rail !== 'simulated'
  const { day, end } = payout
  const sent = await withDeps(ops, at(day, 10), async (deps) => {
    const claimed = await claim(ops, { partnerId, payout, clock: deps.clock, ...terms })
    await debitPayout(deps, claimed)
    // On a slow machine, the bank would otherwise deliver the transfer before it can fail.
    if (isHeld) await bank.hold(claimed.payoutId)
    if (end !== 'cancelled') await submitToRail(deps, claimed)
    return claimed
  })
  if (end === 'cancelled') {
    const clock = at(day, 10.2)
    await withDeps(ops, clock, (deps) => cancelPayout(deps, sent))
    return recordCall(stage, { action: 'payout.cancel', status: 200, detail: sent.payoutId }, clock, terms)
  }
  const { transferRef } = await loadStep(ops.db, sent.payoutId)
  // The payout was not sent. The worker continues it like any other.
  if (transferRef === null) return
  if (end === 'failed') {
    await simulate({ transferRef, outcome: 'fail', reason: 'name_mismatch' })
    return withDeps(ops, at(day, 10.1), (deps) => untilOver(() => pollSettlement(deps, sent)))
  }
  await simulate({ transferRef, outcome: 'settle', reason: null })
  await withDeps(ops, at(day, 10.1), async (deps) => {
    const { at: step } = await pollSettlement(deps, sent)
    if (step === 'settled') await chargePayout(deps, sent)
  })
  if (end === 'completed') return
  await simulate({ transferRef, outcome: 'return', reason: 'account_closed' })
  await withDeps(ops, at(end.returnedOn, 15), (deps) => untilOver(() => pollReturn(deps, { payoutId: sent.payoutId })))
}

/** Polls until the bank has refunded the money. The worker continues a payout that takes longer. */
async function untilOver(poll: () => Promise<{ readonly at: string }>): Promise<void> {
  for (let polls = 0; polls < 50; polls++) {
    const { at } = await poll()
    if (at === 'over') return
    await wait(100)
  }
}

/** The audit log entry that the API would write for this call. */
async function recordCall(
  { ops, partnerId }: Stage,
  call: Pick<ActivityEntry, 'action' | 'status' | 'detail'>,
  clock: Clock,
  { account: { environment }, createdBy: madeBy }: Terms,
): Promise<void> {
  const about = { partnerId, at: clock.now(), environment, changes: 'something', requestId: null } as const
  await recordActivity(ops.db, [{ ...about, ...call, madeBy }])
}

/**
 * Issues the invoice on the 1st of the next month. A paid one replaces a void one. Without a seller no invoice can be
 * issued.
 */
async function billMonth({ ops, seller, month, partnerId }: Stage, status: 'open' | 'paid'): Promise<void> {
  if (seller === null) return
  const calendar = calendarOf(ops, nextMonth(month))
  const issue = async (day: number) => {
    const at = calendar(day, 6).now()
    const issued = await issueInvoice(ops.db, { partnerId, period: month, at, seller })
    assert(issued.outcome === 'issued', 'a month with payouts must have an invoice')
    // The email would have been sent in the past, so the worker must not send it now.
    await markInvoiceMailed(ops.db, issued.invoiceId, at)
    return issued.number
  }
  type Move = (tx: Tx, invoice: { number: string; at: Date }) => Promise<{ outcome: string }>
  const change = (action: string, number: string, at: Date, move: Move) =>
    ops.db.transaction(async (tx) => {
      const { outcome } = await move(tx, { number, at })
      assert(outcome === 'moved', 'a new invoice can be voided or paid')
      await recordChange(ops, tx, { partnerId, at, environment: null, action, detail: number })
    })

  const number = await issue(1)
  if (status === 'open') return
  const reason = 'The billing address was wrong.'
  await change('invoice.void', number, calendar(3, 10).now(), (tx, it) => voidInvoice(tx, { ...it, reason }))
  await change('invoice.mark_paid', await issue(4), calendar(10, 12).now(), markInvoicePaid)
}

/**
 * The partner's notices about past events were due in the past. Without this the worker would email all of them now.
 */
async function dropNotices({ db, clock }: Ops, partnerId: string): Promise<void> {
  const taking = { at: clock.now(), limit: 1_000 }
  const groups = await listNoticeGroups(db, taking.limit)
  for (const group of groups.filter((each) => each.partnerId === partnerId)) {
    await db.transaction((tx) => takeNotices(tx, group, taking))
  }
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
    environment: account.environment,
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
  assert(claimed !== null && typeof claimed !== 'string', 'a new partner has not used this key')
  return { payoutId: claimed.id, attempt: claimed.attempt }
}

interface ClaimOf {
  readonly partnerId: string
  readonly payout: DemoPayout
  readonly clock: Clock
}

function quoteOf(payout: DemoPayout, prices: AccountRow, gbpPerUsdNano: GbpPerUsdNano) {
  return quoteFor({ amountPence: readPayoutRequest(requestOf(payout)).amountPence, prices, gbpPerUsdNano })
}

async function newKey({ ops, calendar, partnerId }: Stage, environment: Environment) {
  const at = calendar(2, 10).now()
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
