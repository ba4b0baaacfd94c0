// The contents of an invoice as plain data, from which the PDF, the CSV file and the email are written.

import { divideHalfUp, type Pence } from '../money'
import type { Month } from '../month'
import type { InvoiceLine, InvoiceStatus } from './invoice'

/** The seller as configured on the day of issue. It is stored with the invoice. */
export interface Seller {
  readonly name: string
  readonly addressLines: readonly string[]
  readonly email: string
  readonly companyNumber: string | null
  /** Null if no VAT is charged. */
  readonly vat: Vat | null
  /** Payment instructions, line by line. The invoice number is the payment reference. */
  readonly paymentLines: readonly string[]
}

interface Vat {
  readonly number: string
  /** The VAT rate in basis points: 2000 is 20%. */
  readonly basisPoints: number
}

export interface Buyer {
  readonly name: string
  /** Empty if the address is unknown. */
  readonly addressLines: readonly string[]
}

/** Stored when the invoice is issued, so that later changes to settings do not affect the invoice. */
export interface InvoiceParties {
  readonly seller: Seller
  readonly buyer: Buyer
  /** The number of the void invoice that this one replaces. */
  readonly replaces?: string
}

export interface InvoiceDocument extends InvoiceParties {
  /** For example `INV-2026-000123`. */
  readonly number: string
  readonly status: Exclude<InvoiceStatus, 'draft'>
  readonly period: Month
  /** Dates in London, as YYYY-MM-DD. */
  readonly issuedOn: string
  readonly dueOn: string
  readonly paidOn: string | null
  readonly voidedOn: string | null
  readonly voidReason: string | null
  /** The lines in display order. Credits also have positive amounts. */
  readonly lines: readonly InvoiceLine[]
  /** The corrections that are part of the first credit line, each with its reason. */
  readonly corrections: readonly Correction[]
  /** The sum of all lines except credits. */
  readonly chargedPence: Pence
  /** The sum of the credit lines. */
  readonly creditedPence: Pence
  /** Charges minus credits, at least zero. */
  readonly totalPence: Pence
  /** Unused credit, carried over to the next invoice. */
  readonly carriedPence: Pence
}

export interface Correction {
  readonly amountPence: Pence
  readonly reason: string
}

/** Prices include VAT, so VAT is computed from the total and not added. */
export function vatIn(totalPence: Pence, { basisPoints }: Vat): Pence {
  const rate = BigInt(basisPoints)
  return divideHalfUp(totalPence * rate, 10_000n + rate)
}
