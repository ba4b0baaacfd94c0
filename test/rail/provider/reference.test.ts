// Texts for the bank are cut, cleaned or omitted, but never refused.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { cleanReference, recipientBody } from '../../../rail/provider/reference'
import { anAccount } from '../../support/bank/parties'
import { anyCharacter, anyRecipient, aRecipient } from '../../support/bank/recipients'

describe('the reference', () => {
  test.each([
    ['INV 1042', 'INV 1042'],
    ['Rechnung Nr. 2027/03 für März', 'Rechnung Nr. 2027/'],
    ['café – 12€', 'cafe 12'],
    ['Straße Łódź', 'Strasse Lodz'],
    ['ﬁne print', 'fine print'],
    ['a\r\n\t  b', 'a b'],
    ["O'Brien", 'OBrien'],
    ['12345678901234567 9', '12345678901234567'],
  ])('%j becomes %j', (text, expected) => {
    expect(cleanReference(text)).toBe(expected)
  })

  test.each([[null], [''], ['   '], ['李雷'], ['🎉🎉']])('%j has no character that the bank accepts', (text) => {
    expect(cleanReference(text)).toBeUndefined()
  })

  test('any cleaned reference fits, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 120 }), (text) => {
        const cleaned = cleanReference(text)

        expect(cleaned ?? 'x').toMatch(/^(?! )[a-zA-Z0-9/\-?:().,+ #=!"%&*<>;{@]{1,18}(?<! )$/)
        expect(cleanReference(cleaned ?? null)).toBe(cleaned)
      }),
    )
  })
})

describe('a recipient', () => {
  test('is registered with its name, its account and its address', () => {
    expect(JSON.parse(recipientBody(aRecipient()))).toEqual(
      anAccount({ account: { sort_code: '123456', account_number: '34567890' } }),
    )
  })

  test('has its whole name as the business name if it is a business', () => {
    const body = JSON.parse(
      recipientBody({ ...aRecipient(), type: 'business', firstName: 'Analytical', lastName: 'Engines Ltd' }),
    )

    expect(body).toMatchObject({ account_owner_type: 'business', business_name: 'Analytical Engines Ltd' })
    expect(body).not.toHaveProperty('first_name')
  })

  test('is sent with its name and address truncated to 35 characters', () => {
    const { account_owner_name, first_name, address } = JSON.parse(
      recipientBody({
        ...aRecipient(),
        firstName: 'Ü'.repeat(80),
        address: {
          ...aRecipient().address,
          line1: '1 '.padEnd(90, 'x'),
          line2: 'y'.repeat(90),
          city: 'z'.repeat(90),
          region: 'r'.repeat(80),
        },
      }),
    )

    expect([account_owner_name, first_name]).toEqual(['Ü'.repeat(35), 'Ü'.repeat(35)])
    expect(Object.values<string>(address).map((text) => text.length)).toEqual([35, 35, 35, 8, 3])
  })

  test.each([
    ['a first line of three characters', { line1: 'N 1' }],
    ['a blank town', { city: ' ' }],
    ['an invalid postal code', { postalCode: 'somewhere in the north' }],
  ])('is registered without an address if it has %s', (_, change) => {
    const recipient = { ...aRecipient(), address: { ...aRecipient().address, ...change } }

    expect(JSON.parse(recipientBody(recipient))).not.toHaveProperty('address')
  })

  test('is registered with the second address line as the first if the first is too short', () => {
    const address = { ...aRecipient().address, line1: 'N 1', line2: 'Old Mill Lane' }

    expect(JSON.parse(recipientBody({ ...aRecipient(), address })).address.street_line_1).toBe('Old Mill Lane')
  })

  test.each<[string, object, string | undefined]>([
    ['no region has only the town', { region: null }, undefined],
    ['a blank region has only the town', { region: ' ' }, undefined],
    ['the town as its region has the town once', { region: 'LONDON' }, undefined],
    ['a region has the region in the second line', { region: 'Greater London' }, 'Greater London'],
    ['a second line and a region has both', { line2: 'Flat 2b', region: 'Kent' }, 'Flat 2b, Kent'],
    [
      'a region that does not fit keeps only the second line',
      { line2: 'Rosewood Court West', region: 'x'.repeat(15) },
      'Rosewood Court West',
    ],
    ['a long region has the region cut', { region: 'r'.repeat(80) }, 'r'.repeat(35)],
    [
      'a short first line has the region after the second',
      { line1: 'N 1', line2: 'Old Mill Lane', region: 'Kent' },
      'Kent',
    ],
  ])('with %s', (_, change, expected) => {
    const address = { ...aRecipient().address, ...change }
    const sent = JSON.parse(recipientBody({ ...aRecipient(), address })).address

    expect(sent).toMatchObject({ city: 'London', country: 'GBR' })
    expect(sent.street_line_2).toBe(expected)
    expect(sent).not.toHaveProperty('state')
  })

  test('gets a placeholder name if its own names are blank', () => {
    const body = JSON.parse(recipientBody({ ...aRecipient(), firstName: ' ', lastName: '\u200b' }))

    expect(body.account_owner_name).toBe('Account holder')
    expect(body).not.toHaveProperty('first_name')
  })

  test('has the same request body each time', () => {
    fc.assert(
      fc.property(anyRecipient, (recipient) => {
        expect(recipientBody(structuredClone(recipient))).toBe(recipientBody(recipient))
      }),
    )
  })
})
