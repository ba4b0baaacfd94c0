// Partners, charges and invoices for billing tests.
import { randomUUID } from 'node:crypto'
import type { Db } from '../../../db/database'
import { addCharge, type Charge } from '../../../db/invoices/charges'
import { listLinesOf } from '../../../db/invoices/invoices'
import { type Issued, issueInvoice } from '../../../db/invoices/issue'
import { copyStandardPrices } from '../../../db/invoices/price-lists'
import type { PartnerChanges, PartnerRow } from '../../../db/partners/partners'
import type { InvoiceLine } from '../../../domain/invoices/invoice'
import type { Month } from '../../../domain/month'
import { aSeller } from '../api/fixtures'
import { aPartner } from './a-partner'

/** A partner that has had the standard prices since January 2026. */
export async function aPricedPartner(db: Db, changes: PartnerChanges = {}): Promise<PartnerRow> {
  const partner = await aPartner(db, changes)
  const at = new Date('2026-01-01T00:00:00Z')
  await db.transaction((tx) => copyStandardPrices(tx, { partnerId: partner.id, at }))
  return partner
}

/** The fee for one payout. */
export const fee = { kind: 'payout_fee', amountMicropounds: 1_090_000n } as const
export const credit = (pence: bigint) => ({ kind: 'credit', amountMicropounds: pence * 10_000n }) as const
export const inOctober = '2026-10-15T12:00:00Z'
export const inNovember = '2026-11-15T12:00:00Z'

export async function charge(
  db: Db,
  partner: Pick<PartnerRow, 'id'>,
  fields: Pick<Charge, 'kind' | 'amountMicropounds' | 'description'> & {
    readonly at: string
    readonly causeRef?: string
  },
): Promise<void> {
  const { at, causeRef = randomUUID(), ...rest } = fields
  const about = { partnerId: partner.id, causeRef, payoutId: null, at: new Date(at) }
  await db.transaction((tx) => addCharge(tx, { ...about, ...rest }))
}

/**
 * Inserts a month's charges, ten thousand per statement. Charge n is a payout fee of one pound and n micropounds if n
 * is even, and a network fee of 1.98p if n is odd.
 */
export async function chargeMany(
  db: Db,
  partner: Pick<PartnerRow, 'id'>,
  { count, month }: { readonly count: number; readonly month: Month },
): Promise<void> {
  for (let from = 1; from <= count; from += 10_000) {
    await db.dataSource.query(
      `INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
      SELECT gen_random_uuid(), $1, CASE n % 2 WHEN 0 THEN 'payout_fee' ELSE 'network_fee' END, gen_random_uuid()::text,
        CASE n % 2 WHEN 0 THEN 1000000 + n ELSE 19800 END, $3::date, $3::date
      FROM generate_series($4::integer, $2::integer) AS n`,
      [partner.id, Math.min(count, from + 9_999), `${month}-01`, from],
    )
  }
}

/** Returns the kind, amount and month of each of the partner's charges. */
export async function chargesOf(db: Db, partner: Pick<PartnerRow, 'id'>): Promise<string[]> {
  const rows: { line: string }[] = await db.dataSource.query(
    `SELECT kind || ' ' || amount_micropounds || ' ' || to_char(month, 'YYYY-MM') AS line FROM charges
      WHERE partner_id = $1 ORDER BY 1`,
    [partner.id],
  )
  return rows.map(({ line }) => line)
}

/** Bills at 06:00 on the 1st of the next month, as the Schedule does, unless `at` is given. */
export function bill(db: Db, partner: Pick<PartnerRow, 'id'>, period: Month, at?: string): Promise<Issued> {
  const [year = 0, month = 0] = period.split('-').map(Number)
  const first = new Date(Date.UTC(year, month, 1, 6))
  return issueInvoice(db, { partnerId: partner.id, period, at: at ? new Date(at) : first, seller: aSeller })
}

export async function billed(db: Db, partner: Pick<PartnerRow, 'id'>, period: Month): Promise<Billed> {
  const issued = await bill(db, partner, period)
  if (issued.outcome !== 'issued') throw new Error(`${period} was not issued: ${issued.outcome}`)
  return { ...issued, lines: await listLinesOf(db, issued.invoiceId) }
}

export interface Billed {
  readonly invoiceId: string
  readonly number: string
  readonly totalPence: bigint
  readonly lines: readonly InvoiceLine[]
}
