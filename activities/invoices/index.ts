// The steps of billing, bound to what they act upon.
import type { InvoiceActivities } from '../../workflows/invoices/invoice'
import type { InvoiceMailActivities } from '../../workflows/invoices/mail'
import type { InvoiceRunActivities } from '../../workflows/invoices/run'
import type { InvoiceDeps } from './deps'
import { issueInvoice } from './issue'
import { mailInvoice, markMailed } from './mail'
import { partnersToBill } from './partners'

export type { InvoiceDeps } from './deps'

export function createInvoiceSteps(
  deps: InvoiceDeps,
): InvoiceRunActivities & InvoiceActivities & InvoiceMailActivities {
  return {
    partnersToBill: (page) => partnersToBill(deps, page),
    issueInvoice: (order) => issueInvoice(deps, order),
    mailInvoice: (invoice) => mailInvoice(deps, invoice),
    markMailed: (invoice) => markMailed(deps, invoice),
  }
}
