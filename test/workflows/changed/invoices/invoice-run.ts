// The workflow after a careless change: it runs only another workflow's activity.
import { proxyActivities } from '@temporalio/workflow'
import type { InvoiceMailActivities } from '../../../../workflows/invoices/mail'

const { markMailed } = proxyActivities<InvoiceMailActivities>({ startToCloseTimeout: '1 minute' })

export async function invoiceRun(): Promise<void> {
  await markMailed({ invoiceId: 'none' })
}
