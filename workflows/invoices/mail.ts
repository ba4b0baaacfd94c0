// Emails one invoice to its partner, and retries for up to 60 days while the mail server is unavailable.
import { proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow'
import { requireFields } from '../input'
import { mailQueue } from '../names'

interface InvoiceToMail {
  readonly invoiceId: string
  /** The default is one hour. */
  readonly pauseInDoubtMs?: number
}

/**
 * `nobody`: the partner has no email address. `void`: the invoice is void. `refused`: the mail server refuses the
 * address permanently. `perhaps`: the email was sent to the mail server, but its reply was lost.
 */
export type Mailed = 'mailed' | 'already' | 'nobody' | 'void' | 'refused' | 'perhaps'

export interface InvoiceMailActivities {
  /** Sends the invoice unless it is marked as sent. Throws if the mail server is unavailable. */
  mailInvoice(invoice: { readonly invoiceId: string }): Promise<Mailed>
  /** Marks the invoice as sent. Idempotent. */
  markMailed(invoice: { readonly invoiceId: string }): Promise<void>
}

/**
 * The timeout exceeds the sum of the mailer's own timeouts, because a retry during a slow send would send the email
 * twice. Each reply from the mail server may take ten minutes. The heartbeat timeout is long for the same reason: a
 * busy worker must not be considered lost. The backoff grows to an hour, because a mail server may be down for days.
 */
export const mailInvoiceOptions = {
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: '1 minute',
  scheduleToCloseTimeout: '60 days',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 hour' },
} as const

/** The email has been sent, so this retries indefinitely: an unmarked invoice would be mailed again. */
const { markMailed } = proxyActivities<Pick<InvoiceMailActivities, 'markMailed'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '5 minutes' },
})

/** How many days the workflow waits for a missing or refused address to be corrected. */
const daysToCorrect = 30

/** After this many lost replies an operator takes over, because each attempt may have delivered another copy. */
const attemptsInDoubt = 3

export async function invoiceMail(order: InvoiceToMail): Promise<Mailed> {
  requireFields(order, { invoiceId: 'id' })
  const { invoiceId, pauseInDoubtMs = 3_600_000 } = order
  const { mailInvoice } = proxyActivities<Pick<InvoiceMailActivities, 'mailInvoice'>>({
    ...mailInvoiceOptions,
    taskQueue: mailQueue(workflowInfo().taskQueue),
  })
  for (let [days, doubts] = [0, 0]; ; ) {
    const mailed = await mailInvoice({ invoiceId })
    setCurrentDetails(sentences[mailed])
    if (mailed === 'mailed') await markMailed({ invoiceId })
    if (mailed === 'perhaps') {
      doubts += 1
      if (doubts === attemptsInDoubt) return mailed
      await sleep(pauseInDoubtMs)
    } else if (mailed === 'nobody' || mailed === 'refused') {
      days += 1
      if (days === daysToCorrect) return mailed
      await sleep('1 day')
    } else {
      return mailed
    }
  }
}

const sentences: Readonly<Record<Mailed, string>> = {
  mailed: 'The invoice was mailed.',
  already: 'The invoice had been mailed before.',
  nobody: 'The partner has neither a billing nor a contact email. Add one: the mail is retried once a day for 30 days.',
  void: 'The invoice is void and is not mailed.',
  refused: 'The mail server refuses the address permanently. Correct it: the mail is retried once a day for 30 days.',
  perhaps:
    'The mail server received the mail, but its reply was lost. The mail is sent up to three times, an hour apart. Then an operator must ask the partner.',
}
