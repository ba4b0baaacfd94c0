// A bank and a connected partner, for tests that call the payout activities one by one.
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { PayoutDeps } from '../../../activities/bind'
import { connectSandboxWallet } from '../../../activities/wallets/connect-sandbox'
import type { Db } from '../../../db/database'
import { newId } from '../../../db/id'
import { openPartner } from '../../../db/partners/open'
import { claimPayout, findClaim } from '../../../db/payouts/claims'
import { fingerprintOf } from '../../../db/payouts/fingerprint'
import { accountHash, sealRecipient } from '../../../db/payouts/recipients/sealed'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import type { Environment } from '../../../domain/environment'
import { quoteFor } from '../../../domain/payouts/quote'
import { topUpPostings } from '../../../domain/wallets/ledger'
import { createRails, type Rails } from '../../../rail/rails'
import { type Clock, systemClock } from '../../../runtime/clock'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import type { SandboxRefs } from '../../../workflows/wallets/connect-sandbox'
import { testKeyring } from '../api/client'
import { accessTo, openTestBank, still, type TestBank } from '../bank/client'
import { keptLog } from '../kept-logs'
import { forwardingTo, opened, openedForEach } from '../opened'
import { standardPrices } from '../prices'

export interface ConnectedPartner {
  readonly id: string
  readonly slug: string
}

/** Opens for each test a bank whose transfers advance only on request, its rails, and a connected partner. */
export function usePayer(db: Db, { bank: options = {}, ...calls }: PayerOptions = {}) {
  const payer = openedForEach(
    async () => {
      const bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0, ...options })
      return { bank, rails: railsTo(bank, calls), partner: await aConnectedPartner(db, bank) }
    },
    async ({ bank, rails }) => {
      rails.close()
      await bank.close()
    },
  )
  return {
    bank: forwardingTo(() => payer.bank),
    rails: forwardingTo(() => payer.rails),
    partner: forwardingTo(() => payer.partner),
  }
}

/** The rails to the bank, for this test file. */
export function useRails(bank: TestBank): Rails {
  return opened(
    async () => railsTo(bank),
    (rails) => rails.close(),
  )
}

export interface PayerOptions {
  readonly bank?: Parameters<typeof openTestBank>[0]
  readonly callMs?: number
  readonly clock?: Clock
}

/** Opens a partner and connects it to the bank: the sandbox with the bank's float, the live wallet with `liveUsdc`. */
export async function aConnectedPartner(db: Db, bank: TestBank, liveUsdc = '10000.00'): Promise<ConnectedPartner> {
  const slug = `acme-${randomBytes(6).toString('hex')}`
  const by = { email: `ada@${slug}.test`, createdBy: 'ops:test' }
  const opened = await openPartner({ db, clock: systemClock }, { name: 'Acme Ltd', slug, ...by })
  if (opened.outcome !== 'opened') throw new Error('a random slug was taken')
  const partnerId = opened.partner.id
  await db.dataSource.query(`UPDATE partners SET verification_status = 'approved' WHERE id = $1`, [partnerId])
  for (const environment of ['sandbox', 'live'] as const) await connect(db, bank, partnerId, environment)
  await topUp(db, bank, { partnerId, environment: 'live', usdc: liveUsdc })
  return { id: partnerId, slug }
}

async function connect(db: Db, bank: TestBank, partnerId: string, environment: Environment): Promise<void> {
  const asked = { environment }
  const opening = { full_name: 'Acme Ltd', email: `${partnerId}@acme.test`, type: 'business' }
  const link = await bank.post('/kyc_links', { ...opening, endorsements: ['base', 'faster_payments'] }, asked)
  const customer = String(link.json.customer_id)
  await bank.control('POST', `/customers/${customer}/kyc`, { status: 'approved', tos_status: 'approved' })
  const wallet = await bank.post(`/customers/${customer}/wallets`, { chain: 'base' }, asked)
  const refs = { verificationRef: String(link.json.id), customerRef: customer, walletRef: String(wallet.json.id) }
  if (environment === 'sandbox') await connectSandbox(db, bank, { partnerId, ...refs, address: null })
  const history = await bank.get(`/wallets/${wallet.json.id}/history`, asked)
  await db.dataSource.query(
    `UPDATE wallets SET customer_ref = $3, wallet_ref = $4, history_read_to = $5
      WHERE partner_id = $1 AND environment = $2`,
    [partnerId, environment, refs.customerRef, refs.walletRef, history.json.data[0]?.id ?? null],
  )
}

/**
 * Connects the sandbox as in production: reverses the simulated float, and books the bank's float under the bank's ID,
 * which the proof needs.
 */
async function connectSandbox(db: Db, bank: TestBank, refs: SandboxRefs): Promise<void> {
  const rails = railsTo(bank)
  try {
    await connectSandboxWallet({ db, clock: systemClock, rails }, refs)
  } finally {
    rails.close()
  }
}

/** Deposits money at the bank and books it in our ledger. */
export async function topUp(
  db: Db,
  bank: TestBank,
  { partnerId, environment, usdc }: { partnerId: string; environment: Environment; usdc: string },
): Promise<void> {
  const [row]: { id: string; ref: string }[] = await db.dataSource.query(
    'SELECT id, wallet_ref AS ref FROM wallets WHERE partner_id = $1 AND environment = $2',
    [partnerId, environment],
  )
  if (row === undefined) throw new Error('the partner has no wallet')
  const { json } = await bank.control('POST', `/wallets/${row.ref}/deposits`, { amount: usdc })
  const about = { walletId: row.id, payoutId: null, createdBy: 'test', at: systemClock.now(), bankRef: json.id }
  const postings = topUpPostings(BigInt(usdc.replace('.', '')) * 10_000n)
  await postSet(db, { ...about, cause: 'top_up', causeRef: randomUUID(), postings })
}

export interface AClaim {
  readonly partnerId: string
  readonly environment?: Environment
  readonly idempotencyKey?: string
  readonly amountPence?: bigint
  readonly accountNumber?: string
  readonly firstName?: string
}

/** Claims a payout as the API does: a new one, or a released one again. */
export async function aClaim(db: Db, given: AClaim): Promise<PayoutRef> {
  const { partnerId, environment = 'sandbox', idempotencyKey = `order-${randomUUID()}` } = given
  const { amountPence = 12_000n, accountNumber = anAccountNumber(), firstName = 'Ada' } = given
  const wallet = await findWallet(db, partnerId, environment)
  if (wallet === null) throw new Error('the partner has no wallet')
  const at = systemClock.now()
  const taken = await findClaim(db, { partnerId, environment, idempotencyKey })
  const quote = quoteFor({ amountPence, prices: standardPrices, gbpPerUsdNano: 790_000_000n })
  return db.transaction(async (tx) => {
    const claimed = await claimPayout(tx, {
      ...claimOf(wallet, { idempotencyKey, quote, accountNumber, at }),
      payoutId: taken?.id ?? newId(at),
      recipientName: `${firstName} Lovelace`,
      requestId: 'test',
    })
    if (claimed === null || typeof claimed === 'string') throw new Error(claimed ?? 'the key is taken')
    await sealRecipient(tx, testKeyring, claimed.id, {
      type: 'individual',
      firstName,
      lastName: 'Lovelace',
      email: null,
      address: { line1: '10 High St', line2: null, city: 'London', postalCode: 'SW1A 2AA', region: null },
      bankName: 'Barclays',
      sortCode: '123456',
      accountNumber,
    })
    return { payoutId: claimed.id, attempt: claimed.attempt }
  })
}

/** The fields with which the API claims a new payout, with an empty sealed recipient. */
export function claimOf(
  wallet: WalletRow,
  given: Pick<NewClaim, 'idempotencyKey' | 'quote' | 'at'> & { readonly accountNumber: string },
): NewClaim {
  const { accountNumber, ...claim } = given
  return {
    ...claim,
    payoutId: newId(given.at),
    partnerId: wallet.partnerId,
    environment: wallet.environment,
    walletId: wallet.id,
    rail: wallet.rail,
    fingerprint: fingerprintOf(testKeyring, { amount: String(given.quote.amountPence) }),
    reference: null,
    country: 'GB',
    createdVia: 'api',
    createdBy: 'key:test',
    keyId: null,
    recipientName: 'Ada Lovelace',
    accountLast4: accountNumber.slice(-4),
    accountHash: accountHash(testKeyring, '123456', accountNumber),
    sealedRecipient: { keyId: 'k2', sealed: Buffer.alloc(0) },
    bankKey: randomUUID(),
    requestId: null,
    payerId: null,
  }
}

type NewClaim = Parameters<typeof claimPayout>[1]

/** The start of a return workflow for a live payout of 120.00 GBP. */
export function aReturn(payoutId: string) {
  return { payoutId, environment: 'live', idempotencyKey: 'order-1001', slug: 'acme', amountPence: 12_000n } as const
}

/** A random account number that never ends in 0000, because a payout to such an account fails in the sandbox. */
export function anAccountNumber(): string {
  return `${randomInt(1_000, 10_000)}${randomInt(1_000, 10_000)}`
}

/** The timeouts allow for a busy machine. */
export function railsTo(bank: TestBank, { callMs = 20_000, clock = systemClock } = {}): Rails {
  return createRails({ bank: accessTo(bank), clock, timeouts: { connectMs: 20_000, callMs } })
}

export function stepDeps(db: Db, rails: Rails, change: Partial<PayoutDeps> = {}): PayoutDeps {
  // Long enough to register a recipient on a busy machine. Tests about a slow bank use shorter limits.
  const limits = { repeatForMs: 2_000, listLagMs: 200, answerWithinMs: 20_000, answerCallMs: 20_000 }
  const log = keptLog()
  return { db, clock: systemClock, keyring: testKeyring, rails, log, limits, ...change }
}

/** A clock that can be moved forward. */
export function movableClock(): Clock & { forward(ms: number): void; reset(): void } {
  let aheadMs = 0
  return {
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    forward: (ms) => {
      aheadMs += ms
    },
    reset: () => {
      aheadMs = 0
    },
  }
}

/** Returns the payout's stored data that still identifies its recipient. */
export async function remainingRecipientData(db: Db, { payoutId }: PayoutRef): Promise<object> {
  const [row] = await db.dataSource.query(
    `SELECT account_hash AS account, bank_body AS body,
        EXISTS (SELECT FROM sealed_recipients s WHERE s.payout_id = payouts.id) AS sealed FROM payouts WHERE id = $1`,
    [payoutId],
  )
  return row
}
