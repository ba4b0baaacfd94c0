// The closed sets of words of charges and invoices, and which invoice line each charge is summed into (design §4, §5).
import { type Micropounds, type Pence, penceFromMicropounds } from './money'

export const invoiceStatuses = ['draft', 'open', 'paid', 'void'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

export const invoiceLineKinds = [
  'payout_fees',
  'monthly_account',
  'business_verification',
  'network_fees',
  'bank_exceptions',
  'credit',
] as const
export type InvoiceLineKind = (typeof invoiceLineKinds)[number]

export const chargeKinds = [
  'payout_fee',
  'network_fee',
  'exception',
  'monthly_account',
  'verification',
  'credit',
] as const
export type ChargeKind = (typeof chargeKinds)[number]

export const lineKindOf: Readonly<Record<ChargeKind, InvoiceLineKind>> = {
  payout_fee: 'payout_fees',
  network_fee: 'network_fees',
  exception: 'bank_exceptions',
  monthly_account: 'monthly_account',
  verification: 'business_verification',
  credit: 'credit',
}

export interface Charged {
  readonly kind: ChargeKind
  readonly amountMicropounds: Micropounds
}

export interface InvoiceSum {
  /** In the order of invoiceLineKinds; a credit's amount is positive as well. */
  readonly lines: readonly { readonly kind: InvoiceLineKind; readonly amountPence: Pence }[]
  /** Charges less credits, and never below zero. */
  readonly totalPence: Pence
}

/** Parts of a penny are summed first and rounded once per line. */
export function sumCharges(charges: readonly Charged[]): InvoiceSum {
  const lines = invoiceLineKinds.flatMap((kind) => {
    const ofKind = charges.filter((charge) => lineKindOf[charge.kind] === kind)
    const micropounds = ofKind.reduce((sum, charge) => sum + charge.amountMicropounds, 0n)
    return ofKind.length === 0 ? [] : [{ kind, amountPence: penceFromMicropounds(micropounds) }]
  })
  const sum = lines.reduce(
    (total, { kind, amountPence }) => total + (kind === 'credit' ? -amountPence : amountPence),
    0n,
  )
  return { lines, totalPence: sum > 0n ? sum : 0n }
}
