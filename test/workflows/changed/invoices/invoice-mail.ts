// The workflow after a careless change: it marks the invoice as mailed without sending it.
import { proxyActivities } from '@temporalio/workflow'
import type { InvoiceMailActivities } from '../../../../workflows/invoices/mail'

const { markMailed } = proxyActivities<InvoiceMailActivities>({ startToCloseTimeout: '1 minute' })

export async function invoiceMail(): Promise<void> {
  await markMailed({ invoiceId: 'none' })
}
