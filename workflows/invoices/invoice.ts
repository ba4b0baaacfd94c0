// Issues one partner's invoice for one month in one transaction, then starts the workflow that mails it. Invoice runs
// that started before they billed in batches have it as a child. An operator can also start it.
import {
  CancellationScope,
  ParentClosePolicy,
  setCurrentDetails,
  startChild,
  TemporalFailure,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow'
import type { Month } from '../../domain/month'
import { requireFields } from '../input'
import { invoiceMailId } from '../names'
import { localActivities } from '../proxies'
import { invoiceMail } from './mail'

export interface InvoiceOrder {
  readonly partnerId: string
  readonly period: Month
}

/** `already`: the month's invoice existed before. `nothing`: there was nothing to bill, so there is no invoice. */
export interface Invoiced {
  readonly outcome: 'issued' | 'already' | 'nothing'
  readonly number: string | null
  readonly totalGbp: string | null
}

export interface IssuedInvoice extends Invoiced {
  /** The ID of the invoice if it has not been mailed yet, else null. */
  readonly toMail: string | null
}

export interface InvoiceActivities {
  /** One transaction: the whole invoice, or nothing. Idempotent. */
  issueInvoice(order: InvoiceOrder): Promise<IssuedInvoice>
}

/** The timeout exceeds billing's statement timeout. */
const { issueInvoice } = localActivities<InvoiceActivities>('3 minutes', { first: '200 ms', longest: '1 minute' })

/** Not cancellable, because an issued invoice must also be mailed. Both steps are short. */
export async function invoice(order: InvoiceOrder): Promise<Invoiced> {
  requireFields(order, { partnerId: 'id', period: 'month' })
  const { partnerId, period } = order
  return CancellationScope.nonCancellable(async () => {
    const { toMail, ...invoiced } = await issueInvoice({ partnerId, period })
    setCurrentDetails(sentences[invoiced.outcome](invoiced.number ?? ''))
    if (toMail !== null) await startMail(toMail)
    return invoiced
  })
}

const sentences: Readonly<Record<Invoiced['outcome'], (number: string) => string>> = {
  issued: (number) => `${number} was issued.`,
  already: (number) => `${number} exists already. Nothing has changed.`,
  nothing: () => 'There was nothing to bill.',
}

/** The child outlives this workflow, so a mail server that is down delays the email but never the invoice. */
async function startMail(invoiceId: string): Promise<void> {
  try {
    await startChild(invoiceMail, {
      workflowId: invoiceMailId(invoiceId),
      args: [{ invoiceId }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      // The invoice row shows whether the email was sent. A later run may mail an invoice whose partner had no email
      // address.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    })
  } catch (error) {
    if (!isAlreadyRunning(error)) throw error
  }
}

/** Whether a child could not start because a workflow with its ID is already running. */
export function isAlreadyRunning(error: unknown): boolean {
  return error instanceof TemporalFailure && error.name === 'WorkflowExecutionAlreadyStartedError'
}
