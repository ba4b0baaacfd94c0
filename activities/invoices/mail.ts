// Emails an issued invoice with its PDF, then marks it as sent. Sending and marking are separate activities, so that a
// retry of the marking does not send a second email.
import { ApplicationFailure } from '@temporalio/common'
import {
  findInvoiceDocument,
  findInvoiceToMail,
  type InvoiceToMail,
  markInvoiceMailed,
} from '../../db/invoices/invoices'
import { assert } from '../../domain/assert'
import type { InvoiceDocument } from '../../domain/invoices/document'
import { invoicePdf } from '../../mail/documents/invoice-pdf'
import type { Mail, Sent } from '../../mail/mailer'
import { invoiceMessage } from '../../mail/messages/invoice'
import type { Mailed } from '../../workflows/invoices/mail'
import type { ActivityDeps } from '../bind'

type MailDeps = Pick<ActivityDeps, 'db' | 'log' | 'mailer' | 'publicUrl'>

export async function mailInvoice(deps: MailDeps, { invoiceId }: { invoiceId: string }): Promise<Mailed> {
  const invoice = await findInvoiceToMail(deps.db, invoiceId)
  if (invoice === null) throw ApplicationFailure.nonRetryable('There is no such invoice.', 'InvoiceUnknown')
  if (invoice.mailedAt !== null) return 'already'
  if (invoice.status === 'void') return 'void'
  const about = { invoice_id: invoiceId, partner_id: invoice.partnerId }
  if (invoice.email === null) {
    deps.log.warn(about, 'cannot mail invoice: its partner has no email address')
    return 'nobody'
  }
  const sent = await send(deps, invoice, invoice.email)
  if (sent.outcome === 'sent') return 'mailed'
  const { outcome, reason } = sent
  if (outcome === 'perhaps') {
    deps.log.error({ ...about, reason }, 'an invoice may have been mailed: the mail server did not confirm it')
    return outcome
  }
  if (outcome === 'refused') {
    deps.log.warn({ ...about, reason }, 'invoice not mailed: the mail server refused it')
    return outcome
  }
  deps.log.warn({ ...about, reason }, 'invoice not mailed yet')
  throw new Error(`the mail server did not accept the mail: ${reason}`)
}

async function send(
  { db, mailer, publicUrl }: MailDeps,
  { id, partnerId }: InvoiceToMail,
  address: string,
): Promise<Sent> {
  if (mailer === null) return { outcome: 'later', reason: 'SMTP_URL is not set' }
  const document = await findInvoiceDocument(db, partnerId, id)
  assert(document !== null, 'an invoice to mail must have been issued')
  return mailer.send(await composeMail(id, document, address, publicUrl))
}

/**
 * Every retry has the same Message-ID, because it is built from fields that do not change after the invoice is
 * issued.
 */
async function composeMail(
  invoiceId: string,
  document: InvoiceDocument,
  address: string,
  publicUrl: string,
): Promise<Mail> {
  const domain = document.seller.email.split('@').at(-1)
  const messageId = `<invoice-${invoiceId}@${domain}>`
  return invoiceMessage({ document, pdf: await invoicePdf(document), address, messageId, publicUrl })
}

/** Changes nothing if the invoice is already marked as mailed. */
export async function markMailed(
  { db, clock }: Pick<ActivityDeps, 'db' | 'clock'>,
  { invoiceId }: { invoiceId: string },
): Promise<void> {
  await markInvoiceMailed(db, invoiceId, clock.now())
}
