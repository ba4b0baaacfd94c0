// What is printed on an invoice, as plain data: the PDF, the CSV and the mail show this and nothing else.

import { divideHalfUp, type Pence } from '../money'
import type { Month } from '../month'
import type { InvoiceLine, InvoiceStatus } from './invoice'

/** Who bills, as configured on the day of issue and frozen with the invoice. */
export interface Seller {
  readonly name: string
  readonly addressLines: readonly string[]
  readonly email: string
  readonly companyNumber: string | null
  /** Null where no VAT is charged. */
  readonly vat: Vat | null
  /** How to pay, line by line; the invoice's number is the payment's reference. */
  readonly paymentLines: readonly string[]
}

export interface Vat {
  readonly number: string
  /** 2000 is 20%. */
  readonly basisPoints: number
}

export interface Buyer {
  readonly name: string
  /** Empty where none was told. */
  readonly addressLines: readonly string[]
}

/** What of an invoice its rows and lines do not say: stored at issue, so that no later setting changes it. */
export interface InvoiceParties {
  readonly seller: Seller
  readonly buyer: Buyer
  /** The number of the void invoice in whose place it was issued. */
  readonly replaces?: string
}

export interface InvoiceDocument extends InvoiceParties {
  /** INV-2026-000123 */
  readonly number: string
  readonly status: Exclude<InvoiceStatus, 'draft'>
  readonly period: Month
  /** Days in London, as YYYY-MM-DD. */
  readonly issuedOn: string
  readonly dueOn: string
  readonly paidOn: string | null
  readonly voidedOn: string | null
  /** In the order in which they are shown; the amount of a credit is positive too. */
  readonly lines: readonly InvoiceLine[]
  /** The sum of the lines that are no credit. */
  readonly chargedPence: Pence
  /** The sum of the credit lines. */
  readonly creditedPence: Pence
  /** Charged less credited, and never below zero. */
  readonly totalPence: Pence
  /** Credit that this invoice did not use up and the next one takes. */
  readonly carriedPence: Pence
}

/** Prices include VAT, so it is taken out of the total, and never put on top. */
export function vatIn(totalPence: Pence, { basisPoints }: Vat): Pence {
  const rate = BigInt(basisPoints)
  return divideHalfUp(totalPence * rate, 10_000n + rate)
}
