// Partners: the businesses that pay out, with their status, limits, verification and settings.
import { assert } from '../../domain/assert'
import type { PartnerStatus, Screening, VerificationStatus } from '../../domain/partners/partner'
import type { Queryable, Statement, Tx } from '../database'
import { newId } from '../id'

export interface PartnerRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** The name that waits for an operator; `name` stays in use until then. */
  readonly requestedName: string | null
  readonly status: PartnerStatus
  readonly logoUrl: string | null
  readonly brandColor: string | null
  readonly contactEmail: string | null
  readonly billingEmail: string | null
  readonly verificationStatus: VerificationStatus
  readonly providerStatus: string | null
  readonly continueUrl: string | null
  readonly termsUrl: string | null
  readonly screening: Screening
  readonly enabledCountries: readonly string[]
  readonly minPayoutPence: bigint
  readonly maxPayoutPence: bigint
  /** Requests per second; null means the environment's default. */
  readonly rateLimitSandbox: number | null
  readonly rateLimitLive: number | null
  /** From when on the monthly account is due. */
  readonly liveOpenedAt: Date | null
  readonly closedAt: Date | null
  /** Until when the admins of a closed partner may sign in and read. */
  readonly readableUntil: Date | null
  /** As an invoice prints it, line by line. */
  readonly billingAddress: string | null
  /** The first day of the last month that was billed; what is charged for it or before it goes on the next invoice. */
  readonly billedUntil: string | null
  /** Why the bank refused, as people may read it, and each one's own mark. */
  readonly verificationReasons: readonly string[]
  readonly verificationReasonMarks: readonly string[]
  /** The marks that were known when the partner tried again; null when it has not. */
  readonly verificationReasonsKnown: readonly string[] | null
  /** How often it was started. */
  readonly verificationTries: number
  /** Since when the bank is to open it; null once it has answered, or people were told that it has not. */
  readonly verificationAwaitedSince: Date | null
  /** What its admins do not want to be mailed about. */
  readonly mutedMails: readonly string[]
  /** Below this they are mailed; null when they do not want that. */
  readonly lowBalanceMicroUsdc: bigint | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewPartner {
  readonly slug: string
  readonly name: string
  readonly contactEmail: string | null
  readonly billingEmail: string | null
  readonly at: Date
}

export type PartnerChanges = Partial<
  Omit<PartnerRow, 'id' | 'slug' | 'closedAt' | 'readableUntil' | 'billedUntil' | 'createdAt' | 'updatedAt'>
>

export async function findPartnerById(db: Queryable, id: string): Promise<PartnerRow | null> {
  const [partner] = await db.query<PartnerRow>(selectById, [id])
  return partner ?? null
}

export async function findPartnerBySlug(db: Queryable, slug: string): Promise<PartnerRow | null> {
  const [partner] = await db.query<PartnerRow>(selectBySlug, [slug])
  return partner ?? null
}

/** By slug. */
export async function listPartners(db: Queryable): Promise<PartnerRow[]> {
  return db.query<PartnerRow>(selectAll, [])
}

/** As it is now and stays until the transaction ends, for those who decide by it and then change it. */
export async function lockPartnerBySlug(tx: Tx, slug: string): Promise<PartnerRow | null> {
  const [partner] = await tx.query<PartnerRow>(lockBySlug, [slug])
  return partner ?? null
}

/** The same by id. */
export async function lockPartner(tx: Tx, id: string): Promise<PartnerRow | null> {
  const [partner] = await tx.query<PartnerRow>(selectToChange, [id])
  return partner ?? null
}

export async function insertPartner(tx: Tx, partner: NewPartner): Promise<PartnerRow | 'slug_taken'> {
  const { slug, name, contactEmail, billingEmail, at } = partner
  const [row] = await tx.query<PartnerRow>(insert, [newId(at), slug, name, contactEmail, billingEmail, at])
  return row ?? 'slug_taken'
}

/** As lockPartnerBySlug, and none of its API keys changes anything before the transaction ends: for those who stop a partner. */
export async function lockPartnerToStop(tx: Tx, slug: string): Promise<PartnerRow | null> {
  const [partner] = await tx.query<PartnerRow>(lockToStop, [slug])
  return partner ?? null
}

/** For good. Under lockPartnerToStop. */
export async function closePartner(
  tx: Tx,
  { id, at, readableUntil }: { readonly id: string; readonly at: Date; readonly readableUntil: Date },
): Promise<PartnerRow> {
  const [row] = await tx.query<PartnerRow>(close, [id, at, readableUntil])
  assert(row !== undefined, 'the partner to close must exist and be open')
  return row
}

/** The partner must exist. A closed one stays closed: what it owed until then is billed, and nothing after. */
export async function updatePartner(tx: Tx, id: string, changes: PartnerChanges, at: Date): Promise<PartnerRow> {
  const before = await lockPartner(tx, id)
  assert(before !== null, 'the partner to change must exist')
  const after = { ...before, ...changes }
  assert(before.status !== 'closed' || after.status === 'closed', 'a closed partner stays closed')
  const [row] = await tx.query<PartnerRow>(update, [id, at, ...changeable.map((column) => after[column])])
  assert(row !== undefined, 'a locked partner must still be there')
  return row
}

const changeable = [
  'name',
  'status',
  'logoUrl',
  'brandColor',
  'contactEmail',
  'billingEmail',
  'verificationStatus',
  'providerStatus',
  'continueUrl',
  'termsUrl',
  'screening',
  'enabledCountries',
  'minPayoutPence',
  'maxPayoutPence',
  'rateLimitSandbox',
  'rateLimitLive',
  'liveOpenedAt',
  'billingAddress',
  'verificationReasons',
  'verificationReasonMarks',
  'verificationReasonsKnown',
  'verificationTries',
  'verificationAwaitedSince',
  'mutedMails',
  'lowBalanceMicroUsdc',
  'requestedName',
] as const satisfies readonly (keyof PartnerChanges)[]

const columns = `id, slug, name, status, logo_url AS "logoUrl", brand_color AS "brandColor",
  contact_email AS "contactEmail", billing_email AS "billingEmail", verification_status AS "verificationStatus",
  provider_status AS "providerStatus", continue_url AS "continueUrl", terms_url AS "termsUrl", screening,
  enabled_countries AS "enabledCountries", min_payout_pence AS "minPayoutPence", max_payout_pence AS "maxPayoutPence",
  rate_limit_sandbox AS "rateLimitSandbox", rate_limit_live AS "rateLimitLive",
  live_opened_at AS "liveOpenedAt", closed_at AS "closedAt", readable_until AS "readableUntil", billing_address AS "billingAddress",
  billed_until AS "billedUntil", verification_reasons AS "verificationReasons",
  verification_reason_marks AS "verificationReasonMarks", verification_reasons_known AS "verificationReasonsKnown",
  verification_tries AS "verificationTries", verification_awaited_since AS "verificationAwaitedSince", muted_mails AS "mutedMails",
  low_balance_micro_usdc AS "lowBalanceMicroUsdc", requested_name AS "requestedName", created_at AS "createdAt", updated_at AS "updatedAt"`

const selectById: Statement = { name: 'partner-by-id', text: `SELECT ${columns} FROM partners WHERE id = $1` }

const selectBySlug: Statement = { name: 'partner-by-slug', text: `SELECT ${columns} FROM partners WHERE slug = $1` }

const selectAll: Statement = { name: 'partners', text: `SELECT ${columns} FROM partners ORDER BY slug` }

const lockBySlug: Statement = {
  name: 'partner-lock-by-slug',
  text: `SELECT ${columns} FROM partners WHERE slug = $1 FOR NO KEY UPDATE`,
}

// Stronger than the lock of the others: a write by an API key takes a lock on its partner's row that waits for this one.
const lockToStop: Statement = {
  name: 'partner-lock-to-stop',
  text: `SELECT ${columns} FROM partners WHERE slug = $1 FOR UPDATE`,
}

const close: Statement = {
  name: 'partner-close',
  text: `UPDATE partners SET status = 'closed', closed_at = $2, readable_until = $3, updated_at = $2,
      continue_url = NULL, terms_url = NULL, verification_awaited_since = NULL
    WHERE id = $1 AND status <> 'closed'
    RETURNING ${columns}`,
}

const selectToChange: Statement = {
  name: 'partner-to-change',
  text: `SELECT ${columns} FROM partners WHERE id = $1 FOR NO KEY UPDATE`,
}

const insert: Statement = {
  name: 'partner-insert',
  text: `INSERT INTO partners (id, slug, name, contact_email, billing_email, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $6)
    ON CONFLICT (slug) DO NOTHING
    RETURNING ${columns}`,
}

const update: Statement = {
  name: 'partner-update',
  text: `UPDATE partners SET updated_at = $2, name = $3, status = $4, logo_url = $5, brand_color = $6,
      contact_email = $7, billing_email = $8, verification_status = $9, provider_status = $10, continue_url = $11,
      terms_url = $12, screening = $13, enabled_countries = $14, min_payout_pence = $15, max_payout_pence = $16,
      rate_limit_sandbox = $17, rate_limit_live = $18, live_opened_at = $19, billing_address = $20,
      verification_reasons = $21, verification_reason_marks = $22, verification_reasons_known = $23,
      verification_tries = $24, verification_awaited_since = $25, muted_mails = $26, low_balance_micro_usdc = $27,
      requested_name = $28,
      closed_at = CASE WHEN $4 = 'closed' THEN coalesce(closed_at, $2) END
    WHERE id = $1
    RETURNING ${columns}`,
}
