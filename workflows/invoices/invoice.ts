// One partner's invoice for one month: issued in one transaction, then handed to a workflow of its own that mails it.
import {
  CancellationScope,
  ParentClosePolicy,
  setCurrentDetails,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow'
import * as activities from '../activities'
import { isRunningAlready } from '../already-running'
import { requireFields } from '../input'
import { invoiceMailId } from '../names'
import { invoiceMail } from './mail'
import type { Invoiced, InvoiceOrder } from './steps'

/** Not to be cancelled: an invoice that was issued must also be mailed, and it takes a moment only. */
export async function invoice(order: InvoiceOrder): Promise<Invoiced> {
  requireFields(order, { partnerId: 'id', period: 'month' })
  const { partnerId, period } = order
  return CancellationScope.nonCancellable(async () => {
    const { toMail, ...invoiced } = await activities.issueInvoice({ partnerId, period })
    setCurrentDetails(sentences[invoiced.outcome](invoiced.number ?? ''))
    if (toMail !== null) await beginToMail(toMail)
    return invoiced
  })
}

const sentences: Readonly<Record<Invoiced['outcome'], (number: string) => string>> = {
  issued: (number) => `${number} was issued.`,
  already: (number) => `${number} was there already: nothing has changed.`,
  nothing: () => 'There was nothing to bill.',
}

/** It outlives this workflow: trouble with the mail delays the mail, and never the invoice. */
async function beginToMail(invoiceId: string): Promise<void> {
  try {
    await startChild(invoiceMail, {
      workflowId: invoiceMailId(invoiceId),
      args: [{ invoiceId }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      // The row knows whether it was sent: one that found nobody to send to may be tried again by a later run.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    })
  } catch (error) {
    if (!isRunningAlready(error)) throw error
  }
}
