// Validation of CreatePayoutRequest: the error codes, their order and their details.
import { describe, expect, test } from '@jest/globals'
import { ApiError } from '../../../../api/http/errors'
import { bodyCheck } from '../../../../api/http/requests/validate'
import {
  CreatePayoutRequest,
  exampleCreatePayoutRequest as example,
  payoutFieldErrors,
} from '../../../../api/payouts/request/body'

const check = bodyCheck(CreatePayoutRequest, payoutFieldErrors)

function fault(body: unknown): { code: string; details: unknown } | null {
  try {
    check(structuredClone(body))
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, details: error.options.details }
  }
}

const { recipient } = example
const withRecipient = (changes: object) => ({ ...example, recipient: { ...recipient, ...changes } })
const withBank = (changes: object) => withRecipient({ bank: { ...recipient.bank, ...changes } })
const withAddress = (changes: object) => withRecipient({ address: { ...recipient.address, ...changes } })
const without = (from: object, name: string) => Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))
const missing = (body: unknown) => fault(body)?.details
const invalidRecipient = (...names: string[]) => ({ code: 'invalid_recipient', details: { missing: names } })

describe('valid requests', () => {
  test.each([
    ['the example', example],
    ['the required fields only', { amount_gbp: '1.00', recipient: without(without(recipient, 'email'), 'type') }],
    ['every field', withAddress({ line1: 'x'.repeat(140), line2: '😀'.repeat(140), region: 'x'.repeat(80) })],
    ['an empty second line', withAddress({ line2: '' })],
    ['a name of 80 non-ASCII characters', withRecipient({ first_name: '😀'.repeat(80) })],
    ['a reference of 120 characters', { ...example, reference: 'x'.repeat(120) }],
    ['a business', withRecipient({ type: 'business' })],
    ['names in several scripts', withRecipient({ first_name: 'Zoë Ōlu', last_name: "O'Brien-Łukasz 李" })],
    ['names of one character', withRecipient({ first_name: '李', last_name: '-' })],
    ['a name with joiners and combining marks', withRecipient({ first_name: 'نامه\u200cای e\u0301 👩‍👩‍👧 ❤️‍🔥' })],
    [
      'a name that ends with a mark and a joiner',
      withRecipient({ first_name: 'മോഹന\u0d4d\u200d', last_name: 'ക\u0d4d\u200d.' }),
    ],
    ['an emoji as a name', withRecipient({ first_name: '😀' })],
    ['optional texts that are blank', { ...withAddress({ line2: ' ', region: '\u00a0' }), reference: ' ' }],
    ['a confirm code', { ...example, confirm_code: '012345' }],
  ])('include %s', (_name, body) => {
    expect(fault(body)).toBeNull()
  })

  test('get the default country GB and the default type individual', () => {
    const body = { amount_gbp: '1.00', recipient: structuredClone(without(recipient, 'type')) }

    check(body)

    expect(body).toMatchObject({ country: 'GB', recipient: { type: 'individual' } })
  })
})

describe('invalid_recipient names each field with its rule', () => {
  const textRule = '1 to 140 visible characters and spaces'
  const nameRule = '1 to 80 visible characters and spaces'
  const blanks = ['', ' ', '\u00a0 \u2003', '\u200b', '\u3164', '\u0301', '\u00ad']
  const hidden = [
    'a\u0000b',
    'a\u0007',
    'a\nb',
    'a\tb',
    'a\u007f',
    'a\u0085',
    'a\u2028',
    'a\u202eb',
    'a\u2066b',
    'a\ud800',
    '\udc00a',
    'a\u001b[2J',
    'a\u00adb',
    'a\u061cb',
    'a\u180eb',
    'a\u200bb',
    'a\u200eb',
    'a\u200fb',
    'a\u2060b',
    'a\ufeffb',
    'a\ufff9b',
    'a\u{e0041}b',
    'a\ue000b',
    'a\u3164b',
    'a\u2800b',
    'Acme\u200dLtd',
    'Acme\u200c Ltd',
    '\u200dAda',
    'Ada\u200d',
    '李\u200d',
    'نامه\u200c\u200cای',
  ]

  test.each(['first_name', 'last_name'])('if %s is missing, blank, too long or not text', (name) => {
    for (const body of [
      { ...example, recipient: without(recipient, name) },
      ...blanks.map((blank) => withRecipient({ [name]: blank })),
      withRecipient({ [name]: 'x'.repeat(81) }),
      withRecipient({ [name]: 5 }),
      withRecipient({ [name]: null }),
    ]) {
      expect(fault(body)).toEqual(invalidRecipient(`recipient.${name} (${nameRule})`))
    }
  })

  test.each([
    [
      'sort_code',
      'recipient.bank.sort_code (6 digits)',
      ['12345', '1234567', '12-34-56', '１23456', '123456\n', 123456],
    ],
    ['account_number', 'recipient.bank.account_number (8 digits)', ['1234567', '123456789', 'abcdefgh', 12345678]],
    ['bank_name', `recipient.bank.bank_name (${textRule})`, [...blanks, 'x'.repeat(141)]],
  ])('if bank.%s is missing or invalid', (name, expected, wrong) => {
    expect(fault(withRecipient({ bank: without(recipient.bank, name) }))).toEqual(invalidRecipient(expected))
    for (const value of wrong) expect(fault(withBank({ [name]: value }))).toEqual(invalidRecipient(expected))
  })

  test.each(['line1', 'city', 'postal_code'])('if address.%s is missing or invalid', (name) => {
    const expected = invalidRecipient(`recipient.address.${name} (${textRule})`)

    expect(fault(withRecipient({ address: without(recipient.address, name) }))).toEqual(expected)
    for (const wrong of [...blanks, 'x'.repeat(141)]) expect(fault(withAddress({ [name]: wrong }))).toEqual(expected)
  })

  test.each(hidden)('if any text contains a control, format, blank or broken character: %j', (text) => {
    for (const name of ['first_name', 'last_name'])
      expect(fault(withRecipient({ [name]: text }))).toEqual(invalidRecipient(`recipient.${name} (${nameRule})`))
    for (const name of ['line1', 'city', 'postal_code'])
      expect(fault(withAddress({ [name]: text }))).toEqual(invalidRecipient(`recipient.address.${name} (${textRule})`))
    expect(fault(withAddress({ line2: text }))).toEqual(
      invalidRecipient('recipient.address.line2 (at most 140 visible characters and spaces)'),
    )
    expect(fault(withAddress({ region: text }))).toEqual(
      invalidRecipient('recipient.address.region (at most 80 visible characters and spaces)'),
    )
    expect(fault(withBank({ bank_name: text }))).toEqual(invalidRecipient(`recipient.bank.bank_name (${textRule})`))
    expect(fault({ ...example, reference: text })).toEqual({
      code: 'invalid_request',
      details: { errors: ['reference (at most 120 visible characters and spaces)'] },
    })
  })

  test('if texts have 30,000 characters', () => {
    const long = '\u0301'.repeat(30_000)
    const wrong = withAddress({ line1: `${long}\u200b`, line2: `${'a'.repeat(30_000)}\n`, city: 'نا'.repeat(15_000) })

    expect(fault(wrong)?.code).toBe('invalid_recipient')
  })

  test('if an optional field is present but invalid', () => {
    expect(missing(withAddress({ region: 'x'.repeat(81) }))).toEqual({
      missing: ['recipient.address.region (at most 80 visible characters and spaces)'],
    })
    expect(missing(withAddress({ line2: 7 }))).toEqual({
      missing: ['recipient.address.line2 (at most 140 visible characters and spaces)'],
    })
    expect(missing(withRecipient({ email: 'ada' }))).toEqual({ missing: ['recipient.email (an email address)'] })
    expect(missing(withRecipient({ type: 'person' }))).toEqual({ missing: ['recipient.type (individual or business)'] })
  })

  test('if an object is missing, by naming its required fields', () => {
    const bank = [
      `recipient.bank.bank_name (${textRule})`,
      'recipient.bank.sort_code (6 digits)',
      'recipient.bank.account_number (8 digits)',
    ]
    const address = ['line1', 'city', 'postal_code'].map((name) => `recipient.address.${name} (${textRule})`)
    const names = ['first_name', 'last_name'].map((name) => `recipient.${name} (${nameRule})`)

    expect(missing({ ...example, recipient: without(recipient, 'bank') })).toEqual({ missing: bank })
    expect(missing(withRecipient({ bank: null }))).toEqual({ missing: bank })
    expect(missing(withRecipient({ address: 'London' }))).toEqual({ missing: address })
    expect(missing(without(example, 'recipient'))).toEqual({ missing: [...names, ...address, ...bank] })
    expect(missing({ ...example, recipient: [] })).toEqual({ missing: [...names, ...address, ...bank] })
  })

  test('if the recipient has an unknown property at any depth', () => {
    expect(fault(withRecipient({ phone: '1' }))).toEqual(invalidRecipient('recipient.phone (unknown field)'))
    expect(fault(withBank({ iban: '1' }))).toEqual(invalidRecipient('recipient.bank.iban (unknown field)'))
    expect(fault(withAddress({ country: 'GB' }))).toEqual(invalidRecipient('recipient.address.country (unknown field)'))
    expect(fault(withRecipient(JSON.parse('{"__proto__":{"a":1}}')))).toMatchObject({ code: 'invalid_recipient' })
  })

  test('if several fields are invalid, all in one response', () => {
    const body = withBank({ sort_code: 'x', account_number: 'y' })

    expect(missing({ ...body, recipient: { ...body.recipient, last_name: '' } })).toEqual({
      missing: expect.arrayContaining([
        `recipient.last_name (${nameRule})`,
        'recipient.bank.sort_code (6 digits)',
        'recipient.bank.account_number (8 digits)',
      ]),
    })
  })
})

describe('other error codes', () => {
  test.each(['0.99', '20000.01', '1.0', '01', '-1.00', '1e3', '1.00\n', '１.00', '', 100, null, ['1.00']])(
    'amount_gbp %j is invalid_amount',
    (amount_gbp) => {
      expect(fault({ ...example, amount_gbp })?.code).toBe('invalid_amount')
    },
  )

  test.each(['FR', 'gb', '', 'GBR', 5, null])('country %j is corridor_not_enabled', (country) => {
    expect(fault({ ...example, country })?.code).toBe('corridor_not_enabled')
  })

  test.each([
    [{ ...example, reference: 'x'.repeat(121) }, 'reference (at most 120 visible characters and spaces)'],
    [{ ...example, confirm_code: '12345' }, 'confirm_code (6 digits)'],
    [{ ...example, extra: true }, 'extra (unknown field)'],
    [{ ...example, 'recipient.bank': {} }, 'recipient.bank (unknown field)'],
  ])('any other error is invalid_request: %#', (body, expected) => {
    expect(fault(body)).toEqual({ code: 'invalid_request', details: { errors: [expected] } })
  })

  test.each([[null], [[]], ['text'], [7]])('a body that is not an object is invalid_request: %j', (body) => {
    expect(fault(body)).toEqual({ code: 'invalid_request', details: { errors: ['body (must be object)'] } })
  })
})

test('with several errors, the amount is reported first, then the recipient, the country and the rest', () => {
  const rest = { ...example, extra: 1 }
  const country = { ...rest, country: 'FR' }
  const inRecipient = { ...country, recipient: {} }
  const amount = { ...inRecipient, amount_gbp: 'x' }

  expect([amount, inRecipient, country, rest].map((body) => fault(body)?.code)).toEqual([
    'invalid_amount',
    'invalid_recipient',
    'corridor_not_enabled',
    'invalid_request',
  ])
})
