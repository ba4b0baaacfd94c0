// Recipients for tests: a typical one, and arbitrary ones that the specification accepts.
import * as fc from 'fast-check'
import type { BankRecipient } from '../../../rail/rail'

export function aRecipient(): BankRecipient {
  return {
    type: 'individual',
    firstName: 'Ada',
    lastName: 'Lovelace',
    address: { line1: '10 High St', line2: null, city: 'London', postalCode: 'SW1A 2AA', region: null },
    bankName: 'Barclays',
    sortCode: '123456',
    accountNumber: '34567890',
  }
}

/**
 * Any character or lone surrogate. fast-check's `binary` unit would build a map of all characters, which takes 1.3 s
 * and 110 MB in each process.
 */
export const anyCharacter = fc.oneof(
  fc.constantFrom(' ', '\u0000', '\n', '\u200b', '\ud800', '🎉', '👩‍👧', 'e\u0301', 'é', 'ß', '李', 'ﷺ', "'", '"'),
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)),
  fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
)

/** The JSON schema accepts any string up to its maximum length. */
const anyText = (minLength: number, maxLength: number) =>
  fc
    .string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, 80) })
    .filter(({ length }) => length <= maxLength)
const digits = (length: number) =>
  fc.integer({ min: 0, max: 10 ** length - 1 }).map((number) => String(number).padStart(length, '0'))

export const anyRecipient: fc.Arbitrary<BankRecipient> = fc.record({
  type: fc.constantFrom('individual', 'business'),
  firstName: anyText(1, 80),
  lastName: anyText(1, 80),
  address: fc.record({
    line1: anyText(0, 200),
    line2: fc.option(anyText(0, 200)),
    city: anyText(0, 200),
    postalCode: anyText(0, 40),
    region: fc.option(anyText(0, 80)),
  }),
  bankName: anyText(0, 200),
  sortCode: digits(6),
  accountNumber: digits(8),
})

export const anyReference: fc.Arbitrary<string | null> = fc.option(anyText(0, 120))
