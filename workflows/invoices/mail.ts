// Sends one invoice to its partner, however long the way to its inbox is closed.
import { proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow'
import * as activities from '../activities'
import { requireFields } from '../input'
import { mailQueue } from '../names'
import type { InvoiceSteps, Mailed } from './steps'

export interface InvoiceToMail {
  readonly invoiceId: string
  /** An hour without it. */
  readonly pauseInDoubtMs?: number
}

/** An address that is missing or refused may be put right by tomorrow; after a month of that people have been told often enough. */
const daysToPutItRight = 30

/** Each may be one more copy in the partner's inbox, so the rest is for a person. */
const triesInDoubt = 3

export async function invoiceMail(order: InvoiceToMail): Promise<Mailed> {
  requireFields(order, { invoiceId: 'id' })
  const { invoiceId, pauseInDoubtMs = 3_600_000 } = order
  const { mailInvoice } = proxyActivities<Pick<InvoiceSteps, 'mailInvoice'>>({
    ...activities.mailInvoiceOptions,
    taskQueue: mailQueue(workflowInfo().taskQueue),
  })
  for (let [days, doubts] = [0, 0]; ; ) {
    const mailed = await mailInvoice({ invoiceId })
    setCurrentDetails(sentences[mailed])
    if (mailed === 'mailed') await activities.markMailed({ invoiceId })
    if (mailed === 'perhaps') {
      doubts += 1
      if (doubts === triesInDoubt) return mailed
      await sleep(pauseInDoubtMs)
    } else if (mailed === 'nobody' || mailed === 'refused') {
      days += 1
      if (days === daysToPutItRight) return mailed
      await sleep('1 day')
    } else {
      return mailed
    }
  }
}

const sentences: Readonly<Record<Mailed, string>> = {
  mailed: 'The invoice was mailed.',
  already: 'The invoice had been mailed before.',
  nobody: 'The partner has neither a billing nor a contact email: set one; it is looked for once a day for 30 days.',
  void: 'The invoice is void: nobody is sent it.',
  refused: 'The mail server refuses the address for good: put it right; it is tried once a day for 30 days.',
  perhaps:
    'The mail server has the mail and did not say that it took it: it is tried three times, an hour apart, and then left to a person, who asks the partner.',
}
