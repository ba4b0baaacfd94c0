// domain/invoices/invoice.ts: the words of charges, lines and invoices.
import { expect, test } from '@jest/globals'
import { chargeKinds, invoiceLineKinds, invoiceStatuses, lineKindOf } from '../../../domain/invoices/invoice'

test('the words are those of the decisions', () => {
  expect(invoiceStatuses).toEqual(['draft', 'open', 'paid', 'void'])
  expect(chargeKinds.join(' ')).toBe('payout_fee network_fee exception monthly_account verification credit')
})

test('every charge has its line, and every line its charge', () => {
  const lines = chargeKinds.map((kind) => lineKindOf[kind])

  expect(new Set(lines)).toEqual(new Set(invoiceLineKinds))
  expect(lines).toHaveLength(invoiceLineKinds.length)
})
