// Issues one partner's invoice for one month; the transaction is the database's, this decides what is worth another try.
import { ApplicationFailure } from '@temporalio/common'
import { type Issued, issueInvoice as issue } from '../../db/invoices/issue'
import { findInvoiceToMail } from '../../db/invoices/mails'
import { isPassingTrouble } from '../../db/trouble'
import { assert } from '../../domain/assert'
import { formatPence } from '../../domain/money'
import type { InvoiceOrder, IssuedInvoice } from '../../workflows/invoices/invoice'
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

/** What the database refuses once it refuses again: it is for a person, and the other partners need not wait. */
async function issueOrGiveUp({ db, clock, log, seller }: IssueDeps, order: InvoiceOrder): Promise<Issued> {
  assert(seller !== null, 'a run without a seller does not get here')
  try {
    return await issue(db, { ...order, at: clock.now(), seller })
  } catch (error) {
    if (isPassingTrouble(error)) throw error
    log.error({ err: error, partner_id: order.partnerId, period: order.period }, 'an invoice could not be issued')
    // The words of a database may quote what is in it; the log has them.
    throw ApplicationFailure.nonRetryable('The invoice could not be issued: the log says why.', 'InvoiceRefused')
  }
}
