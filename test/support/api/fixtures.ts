// Stored partners, keys, payouts, charges and invoices for API tests.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Db } from '../../../db/database'
import { newId } from '../../../db/id'
import { type ChargeRow, charge } from '../../../db/invoices/charges'
import { invoice, invoiceLine, type StoredInvoice, type StoredInvoiceLine } from '../../../db/invoices/invoices'
import { createApiKey, revokeApiKey } from '../../../db/partners/api-keys'
import { insertMember } from '../../../db/partners/members'
import { openPartner } from '../../../db/partners/open'
import { type PartnerChanges, type PartnerRow, updatePartner } from '../../../db/partners/partners'
import { payout, type StoredPayout } from '../../../db/payouts/payout'
import { accountHash } from '../../../db/payouts/recipients/sealed'
import { openSession } from '../../../db/sign-in/sessions'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet } from '../../../db/wallets/wallets'
import type { Environment } from '../../../domain/environment'
import type { Seller } from '../../../domain/invoices/document'
import type { MemberRole } from '../../../domain/partners/partner'
import { topUpPostings } from '../../../domain/wallets/ledger'
import type { Clock } from '../../../runtime/clock'
import { aPendingRow } from '../db/a-payout'
import { forwardingTo, openedForEach } from '../opened'
import { type Api, testKeyring } from './client'

/** The parts of an API that the fixtures need. A test without an API can also provide them. */
export type Stage = Pick<Api, 'db' | 'clock'>

/** A clock that moves only when it is set. */
export function aClock(iso: string): Clock & { set(iso: string): void } {
  let now = new Date(iso)
  return {
    now: () => now,
    set: (next) => {
      now = new Date(next)
    },
  }
}

/** Opens an approved partner, which is allowed to have live keys, and applies the changes. */
export async function aPartner({ db, clock }: Stage, changes: PartnerChanges = {}): Promise<PartnerRow> {
  const slug = `acme-${randomBytes(6).toString('hex')}`
  const by = { email: `ada@${slug}.test`, createdBy: 'ops:test' }
  const opened = await openPartner({ db, clock }, { name: 'Acme Ltd', slug, ...by })
  if (opened.outcome !== 'opened') throw new Error('a random slug was taken')
  return changePartner({ db, clock }, opened.partner, { verificationStatus: 'approved', ...changes })
}

export function changePartner(
  { db, clock }: Stage,
  { id }: Pick<PartnerRow, 'id'>,
  changes: PartnerChanges,
): Promise<PartnerRow> {
  return db.transaction((tx) => updatePartner(tx, id, changes, clock.now()))
}

/** Creates an API key and returns its secret. */
export async function aKey(
  { db, clock }: Stage,
  partner: Pick<PartnerRow, 'id'>,
  environment: Environment,
): Promise<string> {
  const key = { partnerId: partner.id, environment, label: 'test', createdBy: 'ops:test', at: clock.now() }
  const created = await db.transaction((tx) => createApiKey(tx, { ...key, keyring: testKeyring }))
  if (created.outcome !== 'created') throw new Error(`no key was created: ${created.outcome}`)
  return created.secret
}

/** Creates a partner with an API key for each test. */
export function useCaller(api: Stage, environment: Environment = 'sandbox') {
  const current = openedForEach(async () => {
    const partner = await aPartner(api)
    return { partner, caller: { key: await aKey(api, partner, environment) } }
  })
  return { partner: forwardingTo(() => current.partner), caller: forwardingTo(() => current.caller) }
}

/** Creates a member with this role and returns a session token. */
export async function aSession(
  { db, clock }: Stage,
  partner: Pick<PartnerRow, 'id'>,
  role: MemberRole = 'admin',
): Promise<string> {
  const at = clock.now()
  const email = `${role}-${randomBytes(6).toString('hex')}@people.test`
  return db.transaction(async (tx) => {
    const member = await insertMember(tx, { partnerId: partner.id, email, name: 'Grace', role, at })
    if (member === 'already_member') throw new Error('a random email was taken')
    const opened = await openSession(tx, { memberId: member.id, at, absoluteMs: 7 * 86_400_000 })
    if (opened === null) throw new Error('a new member does not exist')
    return opened.token
  })
}

export async function revokeKey({ db, clock }: Stage, partner: PartnerRow, secret: string): Promise<void> {
  const prefix = secret.slice(0, secret.lastIndexOf('_') + 9)
  const by = { partnerId: partner.id, revokedBy: 'ops:test', at: clock.now() }
  const revoked = await db.transaction((tx) => revokeApiKey(tx, { prefix, ...by }))
  if (revoked.outcome !== 'revoked') throw new Error(`the key was not revoked: ${revoked.outcome}`)
}

/** Stores an acknowledged and completed sandbox payout of 120.00, unless `fields` override that. */
export async function aPayoutRow(
  { db, clock }: Stage,
  partner: Pick<PartnerRow, 'id'>,
  fields: Partial<StoredPayout> & { readonly account?: string } = {},
): Promise<StoredPayout> {
  const { account = '12345678', ...given } = fields
  const environment = given.environment ?? 'sandbox'
  const wallet = await walletOf(db, partner, environment)
  const at = given.createdAt ?? clock.now()
  const status = given.status ?? 'completed'
  const hash = accountHash(testKeyring, '200415', account)
  const row: StoredPayout = {
    ...aPendingRow(wallet, at),
    environment,
    rail: wallet.rail,
    fingerprintKeyId: 'k2',
    status,
    failureReason: status === 'failed' ? 'invalid_account: The bank rejected the account details.' : null,
    accountLast4: account.slice(-4),
    accountHash: hash.hash,
    accountHashKeyId: hash.keyId,
    submitStartedAt: at,
    verdict: 'accepted',
    verdictAt: at,
    completedAt: status === 'completed' ? at : null,
    closedAt: status === 'completed' ? at : null,
    returnedAt: status === 'returned' ? at : null,
    ...given,
  }
  await db.dataSource.getRepository(payout).insert(row)
  return row
}

export async function deposit(
  { db, clock }: Stage,
  partner: PartnerRow,
  { environment = 'live', microUsdc }: { readonly environment?: Environment; readonly microUsdc: bigint },
): Promise<void> {
  const { id: walletId } = await walletOf(db, partner, environment)
  const about = { walletId, causeRef: randomUUID(), payoutId: null, createdBy: 'test', at: clock.now() }
  await postSet(db, { ...about, cause: 'deposit', postings: topUpPostings(microUsdc) })
}

export async function aCharge(
  { db, clock }: Stage,
  partner: PartnerRow,
  fields: Pick<ChargeRow, 'kind' | 'amountMicropounds' | 'month'>,
): Promise<void> {
  const at = clock.now()
  const row = { id: newId(at), partnerId: partner.id, causeRef: randomUUID(), payoutId: null, description: null }
  await db.dataSource.getRepository(charge).insert({ ...row, createdAt: at, ...fields })
}

/** Stores an open invoice for the month that begins on `period`, unless `fields` override the status. */
export async function anInvoice(
  { db, clock }: Stage,
  partner: Pick<PartnerRow, 'id' | 'name'>,
  fields: Partial<StoredInvoice> & Pick<StoredInvoice, 'period'>,
  lines: readonly Omit<StoredInvoiceLine, 'id' | 'invoiceId' | 'position'>[] = [],
): Promise<StoredInvoice> {
  const at = fields.createdAt ?? clock.now()
  const row: StoredInvoice = {
    id: newId(at),
    partnerId: partner.id,
    number: `INV-${randomUUID()}`,
    status: 'open',
    totalPence: lines.reduce((sum, line) => sum + line.amountPence, 0n),
    carriedPence: 0n,
    carriedInPence: 0n,
    issuedAt: at,
    dueAt: new Date(at.getTime() + 14 * 86_400_000),
    paidAt: fields.status === 'paid' ? at : null,
    voidedAt: fields.status === 'void' ? at : null,
    mailedAt: null,
    document: { seller: aSeller, buyer: { name: partner.name, addressLines: [] } },
    voidReason: fields.status === 'void' ? 'a mistake' : null,
    createdAt: at,
    ...fields,
  }
  // Follows the order that the database requires: a draft gets its lines, is issued, and then becomes paid or void.
  const invoices = db.dataSource.getRepository(invoice)
  const asDraft = { status: 'draft', paidAt: null, voidedAt: null, voidReason: null } as const
  await invoices.insert({ ...row, ...asDraft })
  const stored = lines.map((line, position) => ({ id: newId(at), invoiceId: row.id, position, ...line }))
  await db.dataSource.getRepository(invoiceLine).insert(stored)
  if (row.status !== 'draft') await invoices.update(row.id, { status: 'open' })
  const { status, paidAt, voidedAt, voidReason } = row
  if (status === 'paid' || status === 'void') await invoices.update(row.id, { status, paidAt, voidedAt, voidReason })
  return row
}

export const aSeller: Seller = {
  name: 'Payouts Ltd',
  addressLines: ['1 Example Street', 'London', 'EC1A 1AA'],
  email: 'billing@payouts.example',
  companyNumber: null,
  vat: null,
  paymentLines: ['Payouts Ltd', 'Sort code 00-00-00', 'Account 00000000'],
}

async function walletOf(db: Db, partner: Pick<PartnerRow, 'id'>, environment: Environment) {
  const wallet = await findWallet(db, partner.id, environment)
  if (wallet === null) throw new Error('the partner has no wallet')
  return wallet
}
