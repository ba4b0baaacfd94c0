// Who mails go through, and who invoices.
import type { Reader } from './reader'

export interface MailConfig {
  readonly smtpUrl: string
  readonly from: { readonly name: string; readonly address: string }
}

/** What an invoice prints about the one who issues it. */
export interface SellerConfig {
  readonly name: string
  readonly addressLines: readonly string[]
  readonly email: string
  readonly companyNumber: string | null
  /** Both or none: without them the invoice says that no VAT is charged. */
  readonly vat: { readonly number: string; readonly basisPoints: number } | null
  /** How to pay, line by line. */
  readonly paymentLines: readonly string[]
}

export function readMail(read: Reader): MailConfig | null {
  if (!read.has('SMTP_URL')) return null
  return { smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:']), from: read.mailbox('MAIL_FROM') }
}

export function readSeller(read: Reader): SellerConfig | null {
  if (!read.has('SELLER_NAME')) return null
  const vat = read.has('SELLER_VAT_NUMBER') || read.has('SELLER_VAT_RATE')
  return {
    name: read.text('SELLER_NAME'),
    addressLines: read.lines('SELLER_ADDRESS'),
    email: read.mailbox('SELLER_EMAIL').address,
    companyNumber: read.text('SELLER_COMPANY_NUMBER', '') || null,
    vat: vat ? { number: read.text('SELLER_VAT_NUMBER'), basisPoints: read.percent('SELLER_VAT_RATE') } : null,
    paymentLines: read.lines('SELLER_BANK'),
  }
}
