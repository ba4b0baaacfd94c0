// The mail that takes an invoice to its partner.
import type { InvoiceDocument } from '../../domain/invoice-document'
import type { Mail } from '../../mail/mailer'

/** The same Message-ID for every try and for ever: what it is made of was frozen with the invoice. */
export async function composeMail(invoiceId: string, document: InvoiceDocument, address: string): Promise<Mail> {
  const domain = document.seller.email.split('@').at(-1) ?? 'localhost'
  return {
    to: { name: document.buyer.name, address },
    messageId: `<invoice-${invoiceId}@${domain}>`,
    subject: `Invoice ${document.number}`,
    text: '',
    html: '',
    attachments: [],
  }
}
