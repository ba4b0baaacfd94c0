// domain/invoices/invoice.ts: the kinds of charges and lines.
import { expect, test } from '@jest/globals'
import { chargeKinds, invoiceLineKinds, lineKindOf } from '../../../domain/invoices/invoice'

test('every kind of charge has a kind of line, and vice versa', () => {
  const lines = chargeKinds.map((kind) => lineKindOf[kind])

  expect(new Set(lines)).toEqual(new Set(invoiceLineKinds))
  expect(lines).toHaveLength(invoiceLineKinds.length)
})
