// domain/invoices/invoice.ts: the kinds of charges and lines.
import { expect, test } from '@jest/globals'
import { chargeKinds, invoiceLineKinds, lineKindOf } from '../../../domain/invoices/invoice'

test('every charge has its line, and every line its charge', () => {
  const lines = chargeKinds.map((kind) => lineKindOf[kind])

  expect(new Set(lines)).toEqual(new Set(invoiceLineKinds))
  expect(lines).toHaveLength(invoiceLineKinds.length)
})
