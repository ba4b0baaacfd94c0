// The payout form: its error messages, and the request that it sends.
import { expect, test } from '@jest/globals'
import { newKey } from '../../dashboard/api/call'
import { emptyForm, faultsOf, requestOf } from '../../dashboard/pages/payouts/send/form'
import { idempotencyKeyPattern } from '../../domain/limits'

const limits = { min: '5.00', max_per_payout: '20000.00' }
const filled = {
  ...emptyForm,
  amount: '£1,250.5',
  firstName: ' Ada ',
  lastName: 'Lovelace',
  line1: '12 St James Square',
  city: 'London',
  postalCode: 'SW1Y 4JH',
  bankName: 'Barclays',
  sortCode: '20-04-15',
  accountNumber: '3829 0008',
}

test('filled-in fields become the API request, without the empty ones', () => {
  expect(faultsOf(filled, limits)).toEqual({})
  expect(requestOf(filled)).toEqual({
    amount_gbp: '1250.50',
    recipient: {
      type: 'individual',
      first_name: 'Ada',
      last_name: 'Lovelace',
      address: { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH' },
      bank: { bank_name: 'Barclays', sort_code: '200415', account_number: '38290008' },
    },
  })
})

test.each([
  ['Acme Ltd', 'Acme', 'Ltd'],
  [' Smith  &  Sons\tLtd ', 'Smith', '& Sons Ltd'],
])('the business name %j becomes %j and %j, which joined are the same name', (businessName, first_name, last_name) => {
  const fields = { ...filled, type: 'business', businessName, firstName: '', lastName: '' } as const

  expect(faultsOf(fields, limits)).toEqual({})
  expect(requestOf(fields).recipient).toMatchObject({ type: 'business', first_name, last_name })
  expect(`${first_name} ${last_name}`).toBe(businessName.trim().replaceAll(/\s+/g, ' '))
})

test.each([
  ['', 'Enter the business name.'],
  [' Acme ', 'Enter the full name, at least two words, such as Acme Ltd.'],
])('the business name %j is refused with %j', (businessName, fault) => {
  const fields = { ...filled, type: 'business', businessName } as const

  expect(faultsOf(fields, limits)).toEqual({ businessName: fault })
})

test.each([
  [{ amount: '4.99' }, { amount: 'The minimum is £5.00.' }],
  [{ amount: '20000.01' }, { amount: 'The maximum is £20,000.00 per payout.' }],
  [{ amount: '1.234' }, { amount: 'Enter pounds and pence, e.g. 120.50.' }],
  [{ sortCode: '2004' }, { sortCode: 'Enter a 6-digit sort code, e.g. 20-04-15.' }],
  [{ accountNumber: '1234567' }, { accountNumber: 'Enter 8 digits (you’ve entered 7).' }],
  [{ email: 'ada@' }, { email: 'Enter a valid email address.' }],
  [{ city: ' ' }, { city: 'Enter a town or city.' }],
])('%j is refused with %j', (change, faults) => expect(faultsOf({ ...filled, ...change }, limits)).toEqual(faults))

test('each form has its own Idempotency-Key, in the API’s format', () => {
  const keys = new Set(Array.from({ length: 100 }, newKey))

  expect(keys.size).toBe(100)
  for (const key of keys) expect(key).toMatch(new RegExp(idempotencyKeyPattern))
})
