// The tables of invoices: the invoice, its lines, the charges it gathers, and the counter behind its number.
import { EntitySchema } from 'typeorm'
import type { InvoiceParties } from '../../../domain/invoices/document'
import type { InvoiceLineKind, InvoiceStatus } from '../../../domain/invoices/invoice'
import { bigint, boolean, date, id, idOf, integer, orNull, text, time, withDefault } from '../../columns'

export interface StoredInvoice {
  readonly id: string
  readonly partnerId: string
  /** The first day of its London month, as YYYY-MM-DD. */
  readonly period: string
  readonly number: string | null
  readonly status: InvoiceStatus
  readonly totalPence: bigint
  readonly carriedPence: bigint
  readonly carriedInPence: bigint
  readonly issuedAt: Date | null
  readonly dueAt: Date | null
  readonly paidAt: Date | null
  readonly voidedAt: Date | null
  readonly mailedAt: Date | null
  /** What was printed that the columns and lines do not say; null in a draft. */
  readonly document: InvoiceParties | null
  readonly voidReason: string | null
  readonly createdAt: Date
}

export interface StoredInvoiceLine {
  readonly id: string
  readonly invoiceId: string
  readonly position: number
  readonly kind: InvoiceLineKind
  readonly description: string
  readonly quantity: number
  readonly unitAmountMicropounds: bigint
  readonly amountPence: bigint
}

export interface InvoiceChargeRow {
  readonly invoiceId: string
  readonly chargeId: string
  /** True once its invoice is void, which the database sees to. */
  readonly voided: boolean
}

export interface InvoiceNumberRow {
  readonly year: number
  readonly lastNumber: number
}

export const invoice = new EntitySchema<StoredInvoice>({
  name: 'Invoice',
  tableName: 'invoices',
  columns: {
    id,
    partnerId: idOf('Partner'),
    period: date,
    number: orNull(text),
    status: text,
    totalPence: bigint,
    carriedPence: withDefault(bigint, 0),
    carriedInPence: withDefault(bigint, 0),
    issuedAt: orNull(time),
    dueAt: orNull(time),
    paidAt: orNull(time),
    voidedAt: orNull(time),
    mailedAt: orNull(time),
    document: orNull({ type: 'jsonb' }),
    voidReason: orNull(text),
    createdAt: time,
  },
})

export const invoiceLine = new EntitySchema<StoredInvoiceLine>({
  name: 'InvoiceLine',
  tableName: 'invoice_lines',
  columns: {
    id,
    invoiceId: idOf('Invoice'),
    position: integer,
    kind: text,
    description: text,
    quantity: integer,
    unitAmountMicropounds: bigint,
    amountPence: bigint,
  },
})

export const invoiceCharge = new EntitySchema<InvoiceChargeRow>({
  name: 'InvoiceCharge',
  tableName: 'invoice_charges',
  columns: {
    invoiceId: { ...idOf('Invoice'), primary: true },
    chargeId: { ...idOf('Charge'), primary: true },
    voided: { ...boolean, default: false },
  },
})

export const invoiceNumber = new EntitySchema<InvoiceNumberRow>({
  name: 'InvoiceNumber',
  tableName: 'invoice_numbers',
  columns: { year: { ...integer, primary: true }, lastNumber: integer },
})
