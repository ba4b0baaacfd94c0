// What the mailing of an invoice needs to know of it: where to, and whether it was sent.
import type { InvoiceStatus } from '../../domain/invoices/invoice'
import type { Queryable, Statement } from '../database'

export interface InvoiceToMail {
  readonly id: string
  readonly partnerId: string
  readonly status: InvoiceStatus
  readonly mailedAt: Date | null
  /** The billing email, else the contact's; null where the partner has neither. */
  readonly email: string | null
}

export async function findInvoiceToMail(db: Queryable, id: string): Promise<InvoiceToMail | null> {
  const [invoice] = await db.query<InvoiceToMail>(selectToMail, [id])
  return invoice ?? null
}

/** The first mark stays. */
export async function markInvoiceMailed(db: Queryable, id: string, at: Date): Promise<void> {
  await db.query(setMailed, [id, at])
}

const selectToMail: Statement = {
  name: 'invoice-to-mail',
  text: `SELECT invoices.id, partner_id AS "partnerId", invoices.status, mailed_at AS "mailedAt",
      coalesce(billing_email, contact_email) AS email
    FROM invoices JOIN partners ON partners.id = partner_id WHERE invoices.id = $1`,
}

const setMailed: Statement = {
  name: 'invoice-mailed',
  text: 'UPDATE invoices SET mailed_at = $2 WHERE id = $1 AND mailed_at IS NULL',
}
