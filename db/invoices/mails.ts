// What the mailing of an invoice needs to know of it: where to, and whether it was sent.
import type { InvoiceStatus } from '../../domain/invoices/invoice'
import type { Queryable } from '../database'

export interface InvoiceToMail {
  readonly id: string
  readonly partnerId: string
  readonly status: InvoiceStatus
  readonly mailedAt: Date | null
  /** The billing email, else the contact's; null where the partner has neither. */
  readonly email: string | null
}

export async function findInvoiceToMail(db: Queryable, id: string): Promise<InvoiceToMail | null> {
  const [invoice] = await db.sql<InvoiceToMail>`SELECT invoices.id, partner_id, invoices.status, mailed_at,
      coalesce(billing_email, contact_email) AS email
    FROM invoices JOIN partners ON partners.id = partner_id WHERE invoices.id = ${id}`
  return invoice ?? null
}

/** The first mark stays. */
export async function markInvoiceMailed(db: Queryable, id: string, at: Date): Promise<void> {
  await db.sql`UPDATE invoices SET mailed_at = ${at} WHERE id = ${id} AND mailed_at IS NULL`
}
