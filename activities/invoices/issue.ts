// Lists the partners to bill, and issues their invoices for one month.
import { cancellationSignal } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { isTransient } from '../../db/errors'
import { findInvoiceToMail } from '../../db/invoices/invoices'
import { type Issued, issueInvoice as issue } from '../../db/invoices/issue'
import { countInvoiced, listPartnersToBill } from '../../db/invoices/partners-to-bill'
import { findPartnerBySlug } from '../../db/partners/partners'
import { assert } from '../../domain/assert'
import { formatPence } from '../../domain/money'
import { isOver, monthInWords } from '../../domain/month'
import { deadlineIn } from '../../runtime/temporal/client'
import { startWorkflow } from '../../runtime/temporal/workflows'
import type { InvoiceOrder, IssuedInvoice } from '../../workflows/invoices/invoice'
import type { BatchToBill, BilledBatch, BilledPartner, BillingPage, PartnersToBill } from '../../workflows/invoices/run'
import { starts } from '../../workflows/starts'
import type { ActivityDeps } from '../bind'

type IssueDeps = Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'seller'>
type BatchDeps = IssueDeps & Pick<ActivityDeps, 'temporal' | 'queuePrefix'>

/**
 * Continues after a transient error, so that one partner does not delay the others. Stops between two invoices when
 * the worker shuts down.
 */
export async function issueInvoices(deps: BatchDeps, { partnerIds, period }: BatchToBill): Promise<BilledBatch> {
  const stop = cancellationSignal()
  const billed: BilledPartner[] = []
  const postponed: string[] = []
  let lastError: unknown
  for (const partnerId of partnerIds) {
    try {
      stop.throwIfAborted()
      billed.push(await billPartner(deps, { partnerId, period }))
    } catch (error) {
      lastError = error
      postponed.push(partnerId)
    }
  }
  if (billed.length === 0 && postponed.length > 0) throw lastError
  return { billed, postponed }
}

/** An issued invoice whose email was not started is found as `already` by the next attempt, which starts the email. */
async function billPartner(deps: BatchDeps, order: InvoiceOrder): Promise<BilledPartner> {
  const { partnerId } = order
  const issued = await issueOrGiveUp(deps, order)
  if (issued.outcome === 'failed') return { partnerId, outcome: 'failed', number: null, totalGbp: null }
  const { toMail, ...invoiced } = await presentIssued(deps, issued)
  if (toMail !== null) await startInvoiceMail(deps, toMail)
  return { partnerId, ...invoiced }
}

async function startInvoiceMail({ temporal, queuePrefix }: BatchDeps, invoiceId: string): Promise<void> {
  const start = () => startWorkflow(temporal, starts.invoiceMail(invoiceId, { queuePrefix }))
  await temporal.withDeadline(deadlineIn(startWithinMs), start)
}

const startWithinMs = 10_000

export async function issueInvoice(deps: IssueDeps, order: InvoiceOrder): Promise<IssuedInvoice> {
  const issued = await issueOrGiveUp(deps, order)
  if (issued.outcome !== 'failed') return presentIssued(deps, issued)
  // A database error message may contain stored values, so it appears only in the log.
  throw ApplicationFailure.nonRetryable('The invoice could not be issued: see the log.', 'InvoiceRefused')
}

/** Throws transient errors. */
async function issueOrGiveUp(
  { db, clock, log, seller }: IssueDeps,
  order: InvoiceOrder,
): Promise<Issued | { readonly outcome: 'failed' }> {
  assert(seller !== null, 'an invoice must have a seller')
  try {
    return await issue(db, { ...order, at: clock.now(), seller })
  } catch (error) {
    if (isTransient(error)) throw error
    // A permanent error is not retried: an operator has to fix the cause.
    log.error({ err: error, partner_id: order.partnerId, period: order.period }, 'cannot issue invoice')
    return { outcome: 'failed' }
  }
}

async function presentIssued({ db }: IssueDeps, issued: Issued): Promise<IssuedInvoice> {
  if (issued.outcome === 'nothing') return { outcome: 'nothing', number: null, totalGbp: null, toMail: null }
  const { outcome, invoiceId, number, totalPence } = issued
  const found = outcome === 'issued' ? null : await findInvoiceToMail(db, invoiceId)
  const toMail = found?.mailedAt ? null : invoiceId
  return { outcome, number, totalGbp: formatPence(totalPence), toMail }
}

type BillingDeps = Pick<ActivityDeps, 'db' | 'clock' | 'seller'>

/** Returns one page of partners. A permanent error ends the run here, before any invoice on the page is issued. */
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

/** If the partner already has its invoice, `issueInvoice` returns `already`. */
async function justOne({ db }: BillingDeps, slug: string): Promise<PartnersToBill> {
  const partner = await findPartnerBySlug(db, slug)
  if (partner === null) throw ApplicationFailure.nonRetryable(`There is no partner ${slug}.`, 'PartnerUnknown')
  return { partnerIds: [partner.id], billedBefore: 0, next: null }
}
