// Charges are append-only rows. A partner is charged once for each kind and cause.

import type { ChargeKind } from '../../domain/invoices/invoice'
import { firstDayOf, londonMonthOf, type Month } from '../../domain/month'
import { bigint, date, entity, id, idOf, orNull, text, time, uuid } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import type { Page } from '../payouts/payouts'
import { joined, literal, type Sql, sql } from '../sql'

export interface ChargeRow {
  readonly id: string
  readonly partnerId: string
  readonly kind: ChargeKind
  readonly causeRef: string
  readonly payoutId: string | null
  readonly amountMicropounds: bigint
  /** The first day of the charge's month in London, as YYYY-MM-DD. */
  readonly month: string
  readonly description: string | null
  readonly createdAt: Date
}

export const charge = entity<ChargeRow>('Charge', 'charges', {
  id,
  partnerId: idOf('Partner'),
  kind: text,
  causeRef: text,
  payoutId: orNull(idOf('Payout')),
  amountMicropounds: bigint,
  month: date,
  description: orNull(text),
  createdAt: time,
})

/** Only triggers on the charge and invoice tables write to this table. */
interface UninvoicedChargeRow extends Pick<ChargeRow, 'partnerId' | 'month' | 'kind' | 'amountMicropounds'> {
  readonly chargeId: string
}

export const uninvoicedCharge = entity<UninvoicedChargeRow>('UninvoicedCharge', 'uninvoiced_charges', {
  chargeId: id,
  partnerId: uuid,
  month: date,
  kind: text,
  amountMicropounds: bigint,
})

export interface Charge extends Pick<ChargeRow, 'partnerId' | 'kind' | 'causeRef' | 'payoutId' | 'amountMicropounds'> {
  readonly at: Date
  /** Defaults to the London month of `at`. */
  readonly month?: Month
  /** The reason, if the cause alone does not explain the charge. */
  readonly description?: string
}

/** Adding a charge with the same kind and cause again changes nothing. */
export async function addCharge(tx: Tx, charge: Charge): Promise<void> {
  const { partnerId, kind, causeRef, payoutId, amountMicropounds, at, month = londonMonthOf(at) } = charge
  await tx.sql`INSERT INTO charges
      (id, partner_id, kind, cause_ref, payout_id, amount_micropounds, month, created_at, description)
    VALUES (${newId(at)}, ${partnerId}, ${kind}, ${causeRef}, ${payoutId}, ${amountMicropounds}, ${firstDayOf(month)}, ${at},
      ${charge.description ?? null})
    ON CONFLICT (partner_id, kind, cause_ref) DO NOTHING`
}

/** Finds the fee charged for a payout. Returns null if the payout was not charged. */
export async function findPayoutFee(tx: Tx, partnerId: string, payoutId: string): Promise<bigint | null> {
  return findCharge(tx, { partnerId, kind: 'payout_fee', causeRef: payoutId })
}

/** Finds the amount charged for this cause. */
export async function findCharge(
  tx: Tx,
  { partnerId, kind, causeRef }: Pick<Charge, 'partnerId' | 'kind' | 'causeRef'>,
): Promise<bigint | null> {
  const [charge] = await tx.sql<{ amountMicropounds: bigint }>`SELECT amount_micropounds FROM charges
    WHERE partner_id = ${partnerId} AND kind = ${kind} AND cause_ref = ${causeRef}`
  return charge?.amountMicropounds ?? null
}

export interface ListedCharge extends Omit<ChargeRow, 'partnerId' | 'month'> {
  /** In the form YYYY-MM. */
  readonly month: Month
}

/** A charge as operators see it. `invoiceNumber` is null while the charge is on no invoice. */
export interface PartnerCharge extends ListedCharge {
  readonly slug: string
  readonly invoiceNumber: string | null
}

export async function hasChargeOf(db: Queryable, invoiceId: string, chargeId: string): Promise<boolean> {
  const found = await db.sql`SELECT FROM invoice_charges WHERE invoice_id = ${invoiceId} AND charge_id = ${chargeId}`
  return found.length > 0
}

/** Selects all charges on an invoice, or only those of the given kinds. */
export interface InvoiceCharges {
  readonly invoiceId: string
  readonly kinds?: readonly ChargeKind[] | undefined
}

/**
 * Lists the charges newest first. `startingAfter` must be a charge on this invoice. A void invoice still has its
 * charges.
 */
export async function listChargesOf(
  db: Queryable,
  { invoiceId, kinds }: InvoiceCharges,
  { take, startingAfter }: Page,
): Promise<ListedCharge[]> {
  // Sorts by the primary key, so that a page costs the same even if the invoice has a hundred thousand charges. IDs
  // start with their time.
  const wanted = kinds ?? null
  return db.sql<ListedCharge>`SELECT ${listedColumns} FROM invoice_charges JOIN charges ON charges.id = charge_id
    WHERE invoice_id = ${invoiceId} AND (${startingAfter}::uuid IS NULL OR charge_id < ${startingAfter})
      AND (${wanted}::text[] IS NULL OR charges.kind = ANY (${wanted}))
    ORDER BY charge_id DESC LIMIT ${take}`
}

/** Lists the charges oldest first. */
export async function listChargesOfPayout(db: Queryable, payoutId: string): Promise<PartnerCharge[]> {
  return db.sql<PartnerCharge>`SELECT ${partnerColumns} FROM ${partnerTables} WHERE charges.payout_id = ${payoutId}
    ORDER BY charges.created_at, charges.id`
}

export interface ChargeFilters {
  readonly partnerId?: string | undefined
  /** The month of the charges. A late charge appears on a later month's invoice. */
  readonly month?: Month | undefined
  readonly payoutId?: string | undefined
  /** Also finds a void invoice's charges. */
  readonly invoiceNumber?: string | undefined
}

export interface ChargeSum {
  readonly kind: ChargeKind
  readonly count: number
  readonly sumMicropounds: bigint
}

/**
 * Returns the newest `take` charges that match all filters. At least one filter must name a partner, payout or
 * invoice.
 */
export async function searchCharges(db: Queryable, filters: ChargeFilters, take: number): Promise<PartnerCharge[]> {
  const statement = sql`SELECT ${partnerColumns} FROM ${partnerTables} WHERE ${chosenBy(filters)}
    ORDER BY charges.created_at DESC, charges.id DESC LIMIT ${literal(take)}`
  return db.run(statement, { plan: 'each time' })
}

/** Sums all charges that match the filters, by kind. */
export async function sumCharges(db: Queryable, filters: ChargeFilters): Promise<ChargeSum[]> {
  const statement = sql`SELECT charges.kind, count(*)::integer AS count,
      sum(charges.amount_micropounds)::bigint AS sum_micropounds
    FROM ${partnerTables} WHERE ${chosenBy(filters)} GROUP BY charges.kind ORDER BY charges.kind`
  return db.run(statement, { plan: 'each time' })
}

function chosenBy({ partnerId, month, payoutId, invoiceNumber }: ChargeFilters): Sql {
  const conditions: Sql[] = []
  if (partnerId !== undefined) conditions.push(sql`charges.partner_id = ${partnerId}`)
  if (month !== undefined) conditions.push(sql`charges.month = ${firstDayOf(month)}::date`)
  if (payoutId !== undefined) conditions.push(sql`charges.payout_id = ${payoutId}::uuid`)
  if (invoiceNumber !== undefined) {
    conditions.push(sql`charges.id IN (SELECT charge_id FROM invoice_charges JOIN invoices ON invoices.id = invoice_id
      WHERE invoices.number = ${invoiceNumber})`)
  }
  return joined(conditions, ' AND ')
}

const listedColumns = sql`charges.id, charges.kind, charges.cause_ref, charges.payout_id, charges.amount_micropounds,
  to_char(charges.month, 'YYYY-MM') AS month, charges.description, charges.created_at`

const partnerColumns = sql`${listedColumns}, partners.slug, holder.number AS invoice_number`

const partnerTables = sql`charges JOIN partners ON partners.id = charges.partner_id
  LEFT JOIN LATERAL (SELECT invoices.number FROM invoice_charges JOIN invoices ON invoices.id = invoice_id
    WHERE charge_id = charges.id AND NOT voided) AS holder ON true`
