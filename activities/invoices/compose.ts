// The mail that takes an invoice to its partner.
import { invoicePdf } from '../../documents/invoice-pdf'
import type { InvoiceDocument } from '../../domain/invoice-document'
import { invoiceMessage } from '../../mail/invoice-message'
import type { Mail } from '../../mail/mailer'

/** The same Message-ID for every try and for ever: what it is made of was frozen with the invoice. */
export async function composeMail(invoiceId: string, document: InvoiceDocument, address: string): Promise<Mail> {
  const domain = document.seller.email.split('@').at(-1)
  const messageId = `<invoice-${invoiceId}@${domain}>`
  return invoiceMessage({ document, pdf: await invoicePdf(document), address, messageId })
}
