// Whom a run has to bill, page by page; what no waiting can put right ends the run here, before it has begun.
import { ApplicationFailure } from '@temporalio/common'
import { countInvoiced, listPartnersToBill } from '../../db/invoices/partners-to-bill'
import { findPartnerBySlug } from '../../db/partners/partners'
import { isOver, monthInWords } from '../../domain/month'
import type { BillingPage, PartnersToBill } from '../../workflows/invoices/run'
import type { ActivityDeps } from '../bind'

type BillingDeps = Pick<ActivityDeps, 'db' | 'clock' | 'seller'>

export async function partnersToBill(deps: BillingDeps, page: BillingPage): Promise<PartnersToBill> {
  const { period, partner, after, limit } = page
  if (deps.seller === null) {
    throw ApplicationFailure.nonRetryable(
      'Nobody is named who bills: set SELLER_NAME and what goes with it, then run the month again.',
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

/** Also one that has its invoice: its own step says so. */
async function justOne({ db }: BillingDeps, slug: string): Promise<PartnersToBill> {
  const partner = await findPartnerBySlug(db, slug)
  if (partner === null) throw ApplicationFailure.nonRetryable(`There is no partner ${slug}.`, 'PartnerUnknown')
  return { partnerIds: [partner.id], billedBefore: 0, next: null }
}
