// Partners, the businesses that pay: their status, limits, verification and settings.
import { assert } from '../../domain/assert'
import type { PartnerStatus, Screening, VerificationStatus } from '../../domain/partners/partner'
import { bigint, columnsOf, date, entity, id, integer, orNull, text, time, withDefault } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'

export interface PartnerRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** A new name that an operator must approve. `name` remains in use until then. */
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
  /** Requests per second. Null means the environment's default. */
  readonly rateLimitSandbox: number | null
  readonly rateLimitLive: number | null
  /** The monthly account fee is charged from this time. */
  readonly liveOpenedAt: Date | null
  readonly closedAt: Date | null
  /** Admins of a closed partner can sign in and read its data until this time. */
  readonly readableUntil: Date | null
  /** The address lines as they appear on an invoice. */
  readonly billingAddress: string | null
  /** The first day of the last billed month. Later charges for it or for earlier months appear on the next invoice. */
  readonly billedUntil: string | null
  /** The bank's reasons for rejecting the verification, for display. `verificationReasonMarks` identifies them. */
  readonly verificationReasons: readonly string[]
  readonly verificationReasonMarks: readonly string[]
  /** The reason marks at the time of the partner's last retry. Null if the partner has not retried. */
  readonly verificationReasonsKnown: readonly string[] | null
  /** How many times the verification was started. */
  readonly verificationTries: number
  /**
   * The time from which we have been waiting for the bank to open the verification. Null once the bank has opened it or
   * operators have been alerted.
   */
  readonly verificationAwaitedSince: Date | null
  /** The kinds of email that the partner's admins have switched off. */
  readonly mutedMails: readonly string[]
  /** Admins get an email when the balance falls below this amount. Null if they have switched off this email. */
  readonly lowBalanceMicroUsdc: bigint | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const partner = entity<PartnerRow>('Partner', 'partners', {
  id,
  slug: text,
  name: text,
  status: withDefault(text, 'active'),
  logoUrl: orNull(text),
  brandColor: orNull(text),
  contactEmail: orNull(text),
  billingEmail: orNull(text),
  verificationStatus: withDefault(text, 'not_started'),
  providerStatus: orNull(text),
  continueUrl: orNull(text),
  termsUrl: orNull(text),
  screening: withDefault(text, 'in_review'),
  enabledCountries: withDefault({ ...text, array: true }, ['GB']),
  minPayoutPence: withDefault(bigint, 100),
  maxPayoutPence: withDefault(bigint, 2_000_000),
  rateLimitSandbox: orNull(integer),
  rateLimitLive: orNull(integer),
  liveOpenedAt: orNull(time),
  closedAt: orNull(time),
  billingAddress: orNull(text),
  billedUntil: orNull(date),
  createdAt: time,
  updatedAt: time,
  verificationReasons: withDefault({ ...text, array: true }, []),
  verificationReasonMarks: withDefault({ ...text, array: true }, []),
  verificationReasonsKnown: orNull({ ...text, array: true }),
  verificationTries: withDefault(integer, 0),
  verificationAwaitedSince: orNull(time),
  mutedMails: withDefault({ ...text, array: true }, []),
  lowBalanceMicroUsdc: orNull(bigint),
  readableUntil: orNull(time),
  requestedName: orNull(text),
})

interface NewPartner {
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
  return db.repo(partner).findOneBy({ id })
}

export async function findPartnerBySlug(db: Queryable, slug: string): Promise<PartnerRow | null> {
  return db.repo(partner).findOneBy({ slug })
}

/** Lists all partners by slug. */
export async function listPartners(db: Queryable): Promise<PartnerRow[]> {
  return db.repo(partner).find({ order: { slug: 'ASC' } })
}

/** Locks the row until the transaction ends, for callers that read the row and then change it. */
export async function lockPartnerBySlug(tx: Tx, slug: string): Promise<PartnerRow | null> {
  const [locked] = await tx.sql<PartnerRow>`SELECT ${columns} FROM partners WHERE slug = ${slug} FOR NO KEY UPDATE`
  return locked ?? null
}

/** Finds the row by ID and locks it until the transaction ends. */
export async function lockPartner(tx: Tx, id: string): Promise<PartnerRow | null> {
  const [locked] = await tx.sql<PartnerRow>`SELECT ${columns} FROM partners WHERE id = ${id} FOR NO KEY UPDATE`
  return locked ?? null
}

export async function insertPartner(tx: Tx, added: NewPartner): Promise<PartnerRow | 'slug_taken'> {
  const { slug, name, contactEmail, billingEmail, at } = added
  const [row] = await tx.sql<PartnerRow>`
    INSERT INTO partners (id, slug, name, contact_email, billing_email, created_at, updated_at)
    VALUES (${newId(at)}, ${slug}, ${name}, ${contactEmail}, ${billingEmail}, ${at}, ${at})
    ON CONFLICT (slug) DO NOTHING
    RETURNING ${columns}`
  return row ?? 'slug_taken'
}

/**
 * Like `lockPartnerBySlug`, but also blocks writes by the partner's API keys until the transaction ends. Used to
 * suspend and close a partner.
 */
export async function lockPartnerToStop(tx: Tx, slug: string): Promise<PartnerRow | null> {
  // A write by an API key takes KEY SHARE on its partner's row, which only FOR UPDATE blocks.
  const [locked] = await tx.sql<PartnerRow>`SELECT ${columns} FROM partners WHERE slug = ${slug} FOR UPDATE`
  return locked ?? null
}

/** Closes the partner irreversibly. The caller must have locked the partner with `lockPartnerToStop`. */
export async function closePartner(
  tx: Tx,
  { id, at, readableUntil }: { readonly id: string; readonly at: Date; readonly readableUntil: Date },
): Promise<PartnerRow> {
  const [row] = await tx.sql<PartnerRow>`
    UPDATE partners SET status = 'closed', closed_at = ${at}, readable_until = ${readableUntil}, updated_at = ${at},
      continue_url = NULL, terms_url = NULL, verification_awaited_since = NULL
    WHERE id = ${id} AND status <> 'closed'
    RETURNING ${columns}`
  assert(row !== undefined, 'the partner to close must exist and be open')
  return row
}

/** The partner must exist. A closed partner cannot be reopened, because billing ends when it is closed. */
export async function updatePartner(tx: Tx, id: string, changes: PartnerChanges, at: Date): Promise<PartnerRow> {
  const before = await lockPartner(tx, id)
  assert(before !== null, 'the partner to change must exist')
  const after = { ...before, ...changes, updatedAt: at }
  assert(before.status !== 'closed' || after.status === 'closed', 'a closed partner must stay closed')
  const closedAt = after.status === 'closed' ? (before.closedAt ?? at) : null
  const { affected } = await tx.repo(partner).update({ id }, { ...changes, updatedAt: at, closedAt })
  assert(affected === 1, 'a locked partner must still exist')
  return { ...after, closedAt }
}

const columns = columnsOf(partner)
