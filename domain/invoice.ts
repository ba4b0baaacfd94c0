// The closed sets of words of charges and invoices, and which invoice line each charge is summed into (design §4, §5).

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
