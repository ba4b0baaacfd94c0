// The payout form: its error messages, and the request that it sends.
import { expect, test } from '@jest/globals'
import { emptyForm, faultsOf, newKey, requestOf } from '../../dashboard/pages/payouts/send/form'
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

test('filled-in fields become the request of the API, without the empty ones', () => {
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
  [{ amount: '4.99' }, { amount: 'The minimum is £5.00.' }],
  [{ amount: '20000.01' }, { amount: 'The maximum is £20,000.00 per payout.' }],
  [{ amount: '1.234' }, { amount: 'Enter pounds and pence, e.g. 120.50.' }],
  [{ sortCode: '2004' }, { sortCode: 'Enter a 6-digit sort code, e.g. 20-04-15.' }],
  [{ accountNumber: '1234567' }, { accountNumber: 'Enter 8 digits (you’ve entered 7).' }],
  [{ email: 'ada@' }, { email: 'Enter a valid email address.' }],
  [{ city: ' ' }, { city: 'Enter a town or city.' }],
])('%j is refused with %j', (change, faults) => expect(faultsOf({ ...filled, ...change }, limits)).toEqual(faults))

test('each form has its own key, in the format of the API', () => {
  const keys = new Set(Array.from({ length: 100 }, newKey))

  expect(keys.size).toBe(100)
  for (const key of keys) expect(key).toMatch(new RegExp(idempotencyKeyPattern))
})
