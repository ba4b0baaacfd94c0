// Cleans and truncates text to the limits of the bank and Faster Payments, so that every recipient can be paid.
import type { BankRecipient, BankRecipientAddress } from '../rail'

const referenceMax = 18
const nameMax = 35
const addressLineMax = 35

/** Returns undefined if nothing remains. */
export function cleanReference(text: string | null): string | undefined {
  const plain = Array.from((text ?? '').normalize('NFKD'), (letter) => written[letter] ?? letter).join('')
  const kept = collapse(plain.replace(/\s/g, ' ').replace(notCarried, ''))
  return kept.slice(0, referenceMax).trim() || undefined
}

/**
 * Returns the body that registers a recipient. A retry with the same key must send the same bytes, so the same
 * recipient always produces the same bytes.
 */
export function recipientBody({ type, sortCode, accountNumber, ...recipient }: BankRecipient): string {
  const [firstName, lastName] = [clean(recipient.firstName), clean(recipient.lastName)]
  const name = ownerName(recipient)
  return JSON.stringify({
    currency: 'gbp',
    account_type: 'gb',
    bank_name: cut(clean(recipient.bankName), nameMax) || undefined,
    account_owner_name: name,
    account_owner_type: type,
    ...(type === 'business'
      ? { business_name: name }
      : { first_name: cut(firstName, nameMax) || undefined, last_name: cut(lastName, nameMax) || undefined }),
    account: { sort_code: sortCode, account_number: accountNumber },
    address: addressOf(recipient.address),
  })
}

/** The recipient's name as the bank receives it. */
export function ownerName({ firstName, lastName }: Pick<BankRecipient, 'firstName' | 'lastName'>): string {
  return cut(`${clean(firstName)} ${clean(lastName)}`.trim(), nameMax) || noName
}

// Faster Payments also allows an apostrophe, but banks disagree about which character it is, so it is dropped.
const notCarried = /[^a-zA-Z0-9/\-?:().,+ #=!"%&*<>;{@]/g

/** Replacements for letters that NFKD does not decompose into a base letter and a mark. */
const written: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
}

/** The specification allows blank names, but the bank requires a name. */
const noName = 'Account holder'

const addressLineMin = 4
const postalCodeMax = 10

/** The bank accepts a complete address or none. Its field `state` is for other countries. */
function addressOf({ line1, line2, city, postalCode, region }: BankRecipientAddress): object | undefined {
  const lines = [line1, line2 ?? ''].map((line) => cut(clean(line), addressLineMax))
  const [first, second] = lines.filter((line) => lengthOf(line) >= addressLineMin)
  const [town, code] = [cut(clean(city), addressLineMax), clean(postalCode)]
  if (first === undefined || town === '' || code === '' || lengthOf(code) > postalCodeMax) return undefined
  const last = withRegion(second, clean(region ?? '') || town, town)
  return { street_line_1: first, street_line_2: last, city: town, postal_code: code, country: 'GBR' }
}

/** A British address has no field for the region, so the region is appended to the second line if it fits. */
function withRegion(line: string | undefined, region: string, town: string): string | undefined {
  if (region.toLowerCase() === town.toLowerCase()) return line
  if (line === undefined) return cut(region, addressLineMax)
  const both = `${line}, ${region}`
  return lengthOf(both) <= addressLineMax ? both : line
}

/** Normalises to NFC on one line, without control characters, format characters or lone surrogates. */
function clean(text: string): string {
  return collapse(text.normalize('NFC').replace(/\s/g, ' ').replace(/\p{C}/gu, ''))
}

function collapse(text: string): string {
  return text.replace(/ +/g, ' ').trim()
}

/** Cuts between code points, so it never splits a surrogate pair. */
function cut(text: string, max: number): string {
  return Array.from(text).slice(0, max).join('').trim()
}

function lengthOf(text: string): number {
  return Array.from(text).length
}
