// What the steps of billing tell their workflows: ids, months, numbers and amounts; who is billed and written to stays in the database.
import type { Month } from '../../domain/month'

export interface BillingPage {
  readonly period: Month
  /** Its slug, where only one partner is billed. */
  readonly partner: string | null
  /** The last id of the page before. */
  readonly after: string | null
  readonly limit: number
}

export interface PartnersToBill {
  readonly partnerIds: readonly string[]
  /** How many had their invoice of this month when the run began; said on the first page only. */
  readonly billedBefore: number
  /** Null on the last page. */
  readonly next: string | null
}

export interface InvoiceOrder {
  readonly partnerId: string
  readonly period: Month
}

/** `already`: this month's invoice was there. `nothing`: there was nothing to bill, and there is no invoice. */
export interface Invoiced {
  readonly outcome: 'issued' | 'already' | 'nothing'
  readonly number: string | null
  readonly totalGbp: string | null
}

export interface IssuedInvoice extends Invoiced {
  /** The invoice that nobody has been sent yet; null when there is none to send. */
  readonly toMail: string | null
}

/**
 * `nobody`: the partner has no address. `void`: it was made void before. `refused`: for good, as the mail server says.
 * `perhaps`: the mail server has it, and its answer did not come.
 */
export type Mailed = 'mailed' | 'already' | 'nobody' | 'void' | 'refused' | 'perhaps'

export interface InvoiceSteps {
  /** Refuses for good a month that is not over, a partner that is not there, and to bill without a seller. */
  partnersToBill(page: BillingPage): Promise<PartnersToBill>
  /** One transaction: the whole invoice, or nothing. Safe to repeat. */
  issueInvoice(order: InvoiceOrder): Promise<IssuedInvoice>
  /** Sends it, unless it is marked as sent. A mail server that is away is trouble, and thrown. */
  mailInvoice(invoice: { readonly invoiceId: string }): Promise<Mailed>
  /** Marks it as sent. Safe to repeat. */
  markMailed(invoice: { readonly invoiceId: string }): Promise<void>
}
