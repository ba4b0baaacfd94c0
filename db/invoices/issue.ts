// Issues a partner's invoice for a month in one transaction. Safe to repeat. Invoice numbers have no gaps.
import { assert } from '../../domain/assert'
import type { Buyer, InvoiceParties, Seller } from '../../domain/invoices/document'
import {
  type ChargeGroup,
  type InvoiceLine,
  isBillable,
  type MadeInvoice,
  makeInvoice,
} from '../../domain/invoices/invoice'
import { firstDayOf, isOver, londonDayOf, type Month, nextMonth, startOf } from '../../domain/month'
import type { Db, Queryable, Tx } from '../database'
import { newId } from '../id'
import { lockUnclosedCompleted } from '../payouts/steps'
import { sql } from '../sql'
import { largeAnswerMs, lockBilling } from './moves'
import { chargePayout } from './payout-charges'
import { chargeDueAccounts, findCarriedPence, groupColumns, listToBill } from './uninvoiced'

export interface InvoiceOrder {
  readonly partnerId: string
  /** The month must have ended, so that its charges are complete. */
  readonly period: Month
  readonly at: Date
  readonly seller: Seller
}

export interface IssuedInvoice {
  readonly invoiceId: string
  readonly number: string
  readonly totalPence: bigint
}

export type Issued =
  | ({ readonly outcome: 'issued' | 'already' } & IssuedInvoice)
  | { readonly outcome: 'nothing'; readonly invoiceId: null; readonly number: null; readonly totalPence: 0n }

export type Previewed =
  | { readonly outcome: 'new'; readonly invoice: MadeInvoice }
  | ({ readonly outcome: 'already' } & IssuedInvoice)
  | { readonly outcome: 'nothing' }

/** Returns `already` if the month has an invoice that is not void, and `nothing` if there is nothing to bill. */
export async function issueInvoice(db: Db, { partnerId, period, at, seller }: InvoiceOrder): Promise<Issued> {
  assert(isOver(period, at), 'a month cannot be billed before it is over')
  return db.transaction(async (tx) => {
    await lockBilling(tx, partnerId)
    const existing = await findIssued(tx, partnerId, period)
    if (existing !== null) return { outcome: 'already', ...existing }

    await chargeCompletedPayouts(tx, { partnerId, period, at })
    await chargeDueAccounts(tx, { partnerId, until: period, at })
    if (!(await hasSomethingToBill(tx, partnerId, period))) {
      await closeMonth(tx, partnerId, period)
      return nothing
    }

    const invoiceId = await draft(tx, { partnerId, period, at })
    const groups = await takeCharges(tx, { invoiceId, partnerId, period })
    const carriedInPence = await findCarriedPence(tx, partnerId)
    const invoice = makeInvoice(groups, { carriedInPence })
    await insertLines(tx, invoiceId, invoice.lines, at)
    const buyer = await closeMonth(tx, partnerId, period)
    const document = { seller, buyer, ...(await findReplaced(tx, partnerId, period)) }
    const number = await open(tx, { invoiceId, invoice, carriedInPence, at, document })
    return { outcome: 'issued', invoiceId, number, totalPence: invoice.totalPence }
  })
}

/**
 * Computes the result of `issueInvoice` from the charges so far, without changing anything. The month may still be in
 * progress.
 */
export async function previewInvoice(
  db: Queryable,
  { partnerId, period }: Pick<InvoiceOrder, 'partnerId' | 'period'>,
): Promise<Previewed> {
  const existing = await findIssued(db, partnerId, period)
  if (existing !== null) return { outcome: 'already', ...existing }
  const groups = await listToBill(db, partnerId, { after: null, until: period })
  if (!isBillable(groups)) return { outcome: 'nothing' }
  return { outcome: 'new', invoice: makeInvoice(groups, { carriedInPence: await findCarriedPence(db, partnerId) }) }
}

/**
 * Charges completed payouts whose worker stopped before it could charge them, so that the invoice does not miss them.
 */
async function chargeCompletedPayouts(tx: Tx, { partnerId, period, at }: Step): Promise<void> {
  const rows = await lockUnclosedCompleted(tx, partnerId, startOf(nextMonth(period)))
  for (const row of rows) await chargePayout(tx, row, at)
}

const nothing = { outcome: 'nothing', invoiceId: null, number: null, totalPence: 0n } as const

async function findIssued(db: Queryable, partnerId: string, period: Month): Promise<IssuedInvoice | null> {
  const [invoice] = await db.sql<IssuedInvoice>`SELECT id AS invoice_id, number, total_pence FROM invoices
    WHERE partner_id = ${partnerId} AND period = ${firstDayOf(period)} AND status IN ('open', 'paid')`
  return invoice ?? null
}

type Step = Omit<InvoiceOrder, 'seller'>

/** Applies the rule of `isBillable` before adding any charge, because a charge cannot be removed from an invoice. */
async function hasSomethingToBill(tx: Tx, partnerId: string, period: Month): Promise<boolean> {
  const found = await tx.sql`SELECT FROM uninvoiced_charges
    WHERE partner_id = ${partnerId} AND month <= ${firstDayOf(period)} AND kind <> 'credit' LIMIT 1`
  return found.length > 0
}

async function draft(tx: Tx, { partnerId, period, at }: Step): Promise<string> {
  const invoiceId = newId(at)
  await tx.sql`INSERT INTO invoices (id, partner_id, period, status, total_pence, created_at)
    VALUES (${invoiceId}, ${partnerId}, ${firstDayOf(period)}, 'draft', 0, ${at})`
  return invoiceId
}

/** Adds the charges to the invoice in batches, so that no statement exceeds its timeout. */
async function takeCharges(
  tx: Tx,
  { invoiceId, partnerId, period }: { invoiceId: string; partnerId: string; period: Month },
): Promise<ChargeGroup[]> {
  const take = sql`WITH picked AS MATERIALIZED (
      SELECT * FROM uninvoiced_charges WHERE partner_id = ${partnerId} AND month <= ${firstDayOf(period)} LIMIT ${portion}
    ), taken AS (
      INSERT INTO invoice_charges (invoice_id, charge_id) SELECT ${invoiceId}, charge_id FROM picked
    )
    SELECT ${groupColumns} FROM picked GROUP BY kind`
  const taken: ChargeGroup[] = []
  for (;;) {
    const groups = await tx.run<ChargeGroup>(take, { answerMs: largeAnswerMs })
    taken.push(...groups)
    if (groups.reduce((sum, { count }) => sum + count, 0) < portion) return taken
  }
}

async function insertLines(tx: Tx, invoiceId: string, lines: readonly InvoiceLine[], at: Date): Promise<void> {
  const rows = lines.map((line, position) => ({
    id: newId(at),
    position,
    kind: line.kind,
    description: line.description,
    quantity: line.quantity,
    unit: line.unitAmountMicropounds.toString(),
    amount: line.amountPence.toString(),
  }))
  await tx.sql`INSERT INTO invoice_lines
      (id, invoice_id, position, kind, description, quantity, unit_amount_micropounds, amount_pence)
    SELECT id, ${invoiceId}, position, kind, description, quantity, unit, amount
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS line
      (id uuid, position integer, kind text, description text, quantity integer, unit bigint, amount bigint)`
}

/** Marks the month as billed and returns the buyer. Called near the end, because it locks the partner's row. */
async function closeMonth(tx: Tx, partnerId: string, period: Month): Promise<Buyer> {
  const [partner] = await tx.sql<{
    name: string
    address: string | null
  }>`UPDATE partners SET billed_until = greatest(billed_until, ${firstDayOf(period)}::date) WHERE id = ${partnerId}
    RETURNING name, billing_address AS address`
  assert(partner !== undefined, 'the partner to bill must exist')
  const lines = (partner.address ?? '').split('\n').map((line) => line.trim())
  return { name: partner.name, addressLines: lines.filter((line) => line !== '') }
}

/** Finds the partner's last void invoice for this month. Returns an empty object if there is none. */
async function findReplaced(tx: Tx, partnerId: string, period: Month): Promise<Pick<InvoiceParties, 'replaces'>> {
  const [replaced] = await tx.sql<{ replaces: string }>`SELECT number AS replaces FROM invoices
    WHERE partner_id = ${partnerId} AND period = ${firstDayOf(period)} AND status = 'void'
    ORDER BY issued_at DESC, number DESC LIMIT 1`
  return replaced ?? {}
}

interface Opening {
  readonly invoiceId: string
  readonly invoice: MadeInvoice
  readonly carriedInPence: bigint
  readonly at: Date
  readonly document: InvoiceParties
}

/**
 * Numbers and opens the invoice. This is the last step, because it locks the number counter, for which transactions of
 * other partners wait. An invoice for 0.00 is paid immediately, but it is still issued, so that every charge and credit
 * of its month is on an invoice.
 */
async function open(tx: Tx, { invoiceId, invoice, carriedInPence, at, document }: Opening): Promise<string> {
  const dueAt = new Date(at.getTime() + dueAfterDays * 86_400_000)
  const year = londonDayOf(at).slice(0, 4)
  const { totalPence, carriedPence } = invoice
  const paidAt = totalPence === 0n ? at : null
  const [opened] = await tx.sql<{ number: string }>`WITH counted AS (
      INSERT INTO invoice_numbers AS counter (year, last_number) VALUES (${year}::integer, 1)
      ON CONFLICT (year) DO UPDATE SET last_number = counter.last_number + 1
      RETURNING year, last_number
    )
    UPDATE invoices SET status = CASE WHEN ${paidAt}::timestamptz IS NULL THEN 'open' ELSE 'paid' END, paid_at = ${paidAt},
      issued_at = ${at}, due_at = ${dueAt}, total_pence = ${totalPence}, carried_pence = ${carriedPence},
      carried_in_pence = ${carriedInPence}, document = ${JSON.stringify(document)}::jsonb,
      number = 'INV-' || counted.year || '-' || lpad(counted.last_number::text, 6, '0')
    FROM counted WHERE id = ${invoiceId}
    RETURNING number`
  assert(opened !== undefined, 'the draft of this transaction must exist')
  return opened.number
}

const dueAfterDays = 14
const portion = 10_000
