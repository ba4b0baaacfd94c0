// A charge as the API and the ops CLI show it, exact to a millionth of a pound.
import type { ListedCharge } from '../../db/invoices/charges'
import { causeOf, lineKindOf } from '../../domain/invoices/invoice'
import { formatMicropounds } from '../../domain/money'

export function presentCharge(charge: ListedCharge) {
  const { cause, caseId } = causeOf(charge)
  return {
    id: charge.id,
    object: 'charge' as const,
    kind: charge.kind,
    line_kind: lineKindOf[charge.kind],
    amount_gbp: formatMicropounds(charge.amountMicropounds),
    cause,
    payout_id: charge.payoutId,
    case_id: caseId,
    month: charge.month,
    description: charge.description,
    created_at: charge.createdAt.toISOString(),
  }
}
