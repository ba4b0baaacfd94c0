// Sends one invoice to its partner, however long the way to its inbox is closed.
import { proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow'
import * as activities from './activities'
import type { InvoiceSteps, Mailed } from './invoice-steps'
import { mailQueue } from './names'

export interface InvoiceToMail {
  readonly invoiceId: string
}

/** An address that is missing or refused may be put right by tomorrow; after a month of that people have been told often enough. */
const daysToPutItRight = 30

export async function invoiceMail({ invoiceId }: InvoiceToMail): Promise<Mailed> {
  const { mailInvoice } = proxyActivities<Pick<InvoiceSteps, 'mailInvoice'>>({
    ...activities.mailInvoiceOptions,
    taskQueue: mailQueue(workflowInfo().taskQueue),
  })
  for (let day = 1; ; day++) {
    const mailed = await mailInvoice({ invoiceId })
    setCurrentDetails(sentences[mailed])
    if (mailed === 'mailed') await activities.markMailed({ invoiceId })
    const mayBePutRight = mailed === 'nobody' || mailed === 'refused'
    if (!mayBePutRight || day === daysToPutItRight) return mailed
    await sleep('1 day')
  }
}

const sentences: Readonly<Record<Mailed, string>> = {
  mailed: 'The invoice was mailed.',
  already: 'The invoice had been mailed before.',
  nobody: 'The partner has neither a billing nor a contact email: set one; it is looked for once a day for 30 days.',
  void: 'The invoice is void: nobody is sent it.',
  refused: 'The mail server refuses the address for good: put it right; it is tried once a day for 30 days.',
}
