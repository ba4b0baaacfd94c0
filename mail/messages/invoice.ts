// The email with an invoice. It contains the period, amount, due date and payment instructions, with the PDF attached.
import type { InvoiceDocument } from '../../domain/invoices/document'
import { monthInWords } from '../../domain/month'
import { dayInWords, pounds } from '../formats'
import type { Mail } from '../mailer'
import { htmlOf, type Layout, textOf } from './layout'

interface InvoiceMessage {
  readonly document: InvoiceDocument
  readonly pdf: Buffer
  readonly address: string
  readonly messageId: string
  readonly publicUrl: string
}

export function invoiceMessage({ document, pdf, address, messageId, publicUrl }: InvoiceMessage): Mail {
  const { number, period, buyer, seller } = document
  const layout = layoutOf(document, publicUrl)
  return {
    to: { name: buyer.name, address },
    subject: `Invoice ${number} from ${seller.name} for ${monthInWords(period)}`,
    text: textOf(layout),
    html: htmlOf(layout),
    messageId,
    attachments: [{ name: `${number}.pdf`, type: 'application/pdf', content: pdf }],
  }
}

function layoutOf(document: InvoiceDocument, publicUrl: string): Layout {
  const { number, replaces, period, buyer, seller } = document
  const action = actionOf(document)
  const instead = replaces ? ` It replaces ${replaces}, which is void. Please don’t pay that one.` : ''
  return {
    preview: action,
    heading: `Your invoice for ${monthInWords(period)}`,
    paragraphs: [`Hello ${buyer.name},`, `Here is invoice ${number}, attached as a PDF.${instead} ${action}`],
    facts: factsOf(document),
    actions: [{ label: 'View invoices', url: `${publicUrl}/dashboard/invoices` }],
    foot: `${seller.name}, ${seller.addressLines.join(', ')}. Questions about this invoice: ${seller.email}`,
  }
}

function actionOf({ status, totalPence, dueOn, carriedPence }: InvoiceDocument): string {
  const carried = carriedPence > 0n ? ` ${pounds(carriedPence)} of credit is carried forward to your next invoice.` : ''
  if (totalPence === 0n && status !== 'void') return `There’s nothing to pay.${carried}`
  if (status !== 'open') return `There’s nothing to pay: this invoice is ${status}.`
  return `Please pay ${pounds(totalPence)} by ${dayInWords(dueOn)}.`
}

function factsOf(document: InvoiceDocument): [string, string][] {
  const { number, replaces, period, dueOn, totalPence, status, seller } = document
  const facts: [string, string][] = [
    ['Invoice', number],
    ...(replaces ? [['Replaces', replaces] satisfies [string, string]] : []),
    ['Period', monthInWords(period)],
    ['Total', pounds(totalPence)],
  ]
  if (status !== 'open' || totalPence === 0n) return facts
  return [
    ...facts,
    ['Due', dayInWords(dueOn)],
    ['Pay to', seller.paymentLines.join('\n')],
    ['Payment reference', number],
  ]
}
