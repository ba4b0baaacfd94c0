// Lists the partners that a run bills, and issues one partner's invoice for one month.
import { ApplicationFailure } from '@temporalio/common'
import { isTransient } from '../../db/errors'
import { findInvoiceToMail } from '../../db/invoices/invoices'
import { type Issued, issueInvoice as issue } from '../../db/invoices/issue'
import { countInvoiced, listPartnersToBill } from '../../db/invoices/partners-to-bill'
import { findPartnerBySlug } from '../../db/partners/partners'
import { assert } from '../../domain/assert'
import { formatPence } from '../../domain/money'
import { isOver, monthInWords } from '../../domain/month'
import type { InvoiceOrder, IssuedInvoice } from '../../workflows/invoices/invoice'
import type { BillingPage, PartnersToBill } from '../../workflows/invoices/run'
import type { ActivityDeps } from '../bind'

type IssueDeps = Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'seller'>

export async function issueInvoice(deps: IssueDeps, order: InvoiceOrder): Promise<IssuedInvoice> {
  const issued = await issueOrGiveUp(deps, order)
  if (issued.outcome === 'nothing') return { outcome: 'nothing', number: null, totalGbp: null, toMail: null }
  const { outcome, invoiceId, number, totalPence } = issued
  const found = outcome === 'issued' ? null : await findInvoiceToMail(deps.db, invoiceId)
  const toMail = found?.mailedAt ? null : invoiceId
  return { outcome, number, totalGbp: formatPence(totalPence), toMail }
}

/** A permanent error is not retried: an operator has to fix it, and the other partners do not wait. */
async function issueOrGiveUp({ db, clock, log, seller }: IssueDeps, order: InvoiceOrder): Promise<Issued> {
  assert(seller !== null, 'an invoice must have a seller')
  try {
    return await issue(db, { ...order, at: clock.now(), seller })
  } catch (error) {
    if (isTransient(error)) throw error
    log.error({ err: error, partner_id: order.partnerId, period: order.period }, 'cannot issue invoice')
    // The message of a database error may contain stored values, so only the log has it.
    throw ApplicationFailure.nonRetryable('The invoice could not be issued: see the log.', 'InvoiceRefused')
  }
}

type BillingDeps = Pick<ActivityDeps, 'db' | 'clock' | 'seller'>

/** One page. An error that no retry can fix ends the run here, before any invoice is issued. */
export async function partnersToBill(deps: BillingDeps, page: BillingPage): Promise<PartnersToBill> {
  const { period, partner, after, limit } = page
  if (deps.seller === null) {
    throw ApplicationFailure.nonRetryable(
      'The seller is not configured: set SELLER_NAME and the other SELLER settings, then run the month again.',
      'SellerUnknown',
    )
  }
  if (!isOver(period, deps.clock.now())) {
    throw ApplicationFailure.nonRetryable(`${monthInWords(period)} is not over yet.`, 'PeriodNotOver')
  }
  if (partner !== null) return justOne(deps, partner)
  const partners = await listPartnersToBill(deps.db, { period, after, limit })
  const billedBefore = after === null ? await countInvoiced(deps.db, period) : 0
  const next = partners.length < limit ? null : (partners.at(-1)?.id ?? null)
  return { partnerIds: partners.map(({ id }) => id), billedBefore, next }
}

/** The partner may already have its invoice: `issueInvoice` then returns `already`. */
async function justOne({ db }: BillingDeps, slug: string): Promise<PartnersToBill> {
  const partner = await findPartnerBySlug(db, slug)
  if (partner === null) throw ApplicationFailure.nonRetryable(`There is no partner ${slug}.`, 'PartnerUnknown')
  return { partnerIds: [partner.id], billedBefore: 0, next: null }
}
