// An invoice for the document tests: plain data, with lines that add up.

import type { InvoiceDocument } from '../../../domain/invoices/document'
import { type InvoiceLine, sumLines } from '../../../domain/invoices/invoice'

export function anInvoice(change: Partial<InvoiceDocument> = {}): InvoiceDocument {
  const lines = change.lines ?? [
    aLine({
      description: 'Payout fees for 1,240 completed payouts',
      unitAmountMicropounds: 1_351_600_000n,
      amountPence: 135_160n,
    }),
    aLine({
      kind: 'monthly_account',
      description: 'Monthly account, October 2026',
      unitAmountMicropounds: 15_000_000n,
      amountPence: 1_500n,
    }),
    aLine({
      kind: 'network_fees',
      description: 'Network fees',
      quantity: 1240,
      unitAmountMicropounds: 19_800n,
      amountPence: 2_455n,
    }),
    aLine({
      kind: 'bank_exceptions',
      description: '2 bank exceptions',
      unitAmountMicropounds: 30_000_000n,
      amountPence: 3_000n,
    }),
    aLine({
      kind: 'credit',
      description: 'Credit for returned payouts',
      unitAmountMicropounds: 1_090_000n,
      amountPence: 109n,
    }),
  ]
  return {
    number: 'INV-2026-000123',
    status: 'open',
    period: '2026-10',
    issuedOn: '2026-11-01',
    dueOn: '2026-11-15',
    paidOn: null,
    voidedOn: null,
    voidReason: null,
    corrections: [],
    seller: {
      name: 'Example Payouts Ltd',
      addressLines: ['1 Example Street', 'London', 'EC1A 1AA', 'United Kingdom'],
      email: 'billing@example.test',
      companyNumber: '01234567',
      vat: null,
      paymentLines: ['Example Bank plc', 'Sort code 00-00-00', 'Account number 01234567'],
    },
    buyer: { name: 'Acme Marketplace Ltd', addressLines: ['12 St James Square', 'London', 'SW1Y 4JH'] },
    ...sumLines(lines),
    ...change,
    lines,
  }
}

/** An invoice with all six kinds of lines, carried credit, VAT, and a void invoice that it replaces. */
export function aFullInvoice(): InvoiceDocument {
  const alike = { quantity: 3, unitAmountMicropounds: 10_000_000n, amountPence: 3_000n }
  const { lines: few, seller } = anInvoice()
  const [fees, account, network, exceptions, credit] = few
  const verification = aLine({ ...alike, kind: 'business_verification', description: 'Business verification' })
  const carried = aLine({ kind: 'credit', description: 'Credit carried forward from earlier invoices' })
  const lines = [fees, account, verification, network, exceptions, credit, carried].filter((line) => line !== undefined)
  const vat = { number: 'GB123456789', basisPoints: 2000 }
  return anInvoice({ lines, seller: { ...seller, vat }, replaces: 'INV-2026-000120' })
}

export function aLine(change: Partial<InvoiceLine> = {}): InvoiceLine {
  return {
    kind: 'payout_fees',
    description: 'Payout fees',
    quantity: 1,
    unitAmountMicropounds: 1_090_000n,
    amountPence: 109n,
    ...change,
  }
}
