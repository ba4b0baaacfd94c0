// The mail that takes an invoice to its partner.

import type { InvoiceDocument } from '../../domain/invoices/document'
import { invoicePdf } from '../../mail/documents/invoice-pdf'
import type { Mail } from '../../mail/mailer'
import { invoiceMessage } from '../../mail/messages/invoice'

/** The same Message-ID for every try and for ever: what it is made of was frozen with the invoice. */
export async function composeMail(invoiceId: string, document: InvoiceDocument, address: string): Promise<Mail> {
  const domain = document.seller.email.split('@').at(-1)
  const messageId = `<invoice-${invoiceId}@${domain}>`
  return invoiceMessage({ document, pdf: await invoicePdf(document), address, messageId })
}
