// The steps of billing, bound to what they act upon.
import type { InvoiceSteps } from '../../workflows/invoices/steps'
import type { InvoiceDeps } from './deps'
import { issueInvoice } from './issue'
import { mailInvoice, markMailed } from './mail'
import { partnersToBill } from './partners'

export type { InvoiceDeps } from './deps'

export function createInvoiceSteps(deps: InvoiceDeps): InvoiceSteps {
  return {
    partnersToBill: (page) => partnersToBill(deps, page),
    issueInvoice: (order) => issueInvoice(deps, order),
    mailInvoice: (invoice) => mailInvoice(deps, invoice),
    markMailed: (invoice) => markMailed(deps, invoice),
  }
}
