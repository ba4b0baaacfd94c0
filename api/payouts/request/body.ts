// The request body that creates a payout, with its recipient.
import { Type } from 'typebox'
import {
  accountNumberPattern,
  addressMaxLength,
  countries,
  idempotencyKeyPattern,
  nameMaxLength,
  payoutLimits,
  referenceMaxLength,
  regionMaxLength,
  sortCodePattern,
} from '../../../domain/limits'
import { formatPence, moneyMaxLength, moneyRangePattern } from '../../../domain/money'
import { recipientTypes } from '../../../domain/payouts/payout'
import { ApiError } from '../../http/errors'
import type { FieldErrors } from '../../http/route'
import { Body, Email, Line, OneOf, Pattern, Strict, Text, VisibleLine } from '../../http/schema'
import { ConfirmCode } from '../../sign-in/confirm-codes'

const { minPence, maxPerPayoutPence } = payoutLimits

export const amountField = Type.String({
  pattern: moneyRangePattern(minPence, maxPerPayoutPence),
  maxLength: moneyMaxLength,
  'x-hint': `from ${formatPence(minPence)} to ${formatPence(maxPerPayoutPence)}`,
  description: 'The amount that the recipient receives, in pounds.',
})

export const countryField = Type.Optional(
  OneOf(countries, {
    default: 'GB',
    description: "The country of the recipient's bank account.",
    'x-hint': countries.join(', '),
  }),
)

const NamePart = (description: string) => VisibleLine({ maxLength: nameMaxLength, description })

/** Texts that are too long for the bank are truncated when the payout is submitted. */
const Needed = (description: string) => VisibleLine({ maxLength: addressMaxLength, description })

const Address = Strict({
  line1: Needed('Address line 1: house and street.'),
  line2: Type.Optional(Line({ maxLength: addressMaxLength })),
  city: Needed('The town or city.'),
  postal_code: Needed('The postcode.'),
  region: Type.Optional(
    Line({
      maxLength: regionMaxLength,
      description: 'The county. If omitted, the town is used. It is sent to the bank after line2.',
    }),
  ),
})

const Bank = Strict({
  bank_name: Needed('The name of the bank.'),
  sort_code: Pattern(sortCodePattern, { description: 'Six digits, without dashes.', 'x-hint': '6 digits' }),
  account_number: Pattern(accountNumberPattern, { description: 'Eight digits.', 'x-hint': '8 digits' }),
})

export const Recipient = Body('Recipient', {
  type: Type.Optional(OneOf(recipientTypes, { default: 'individual', 'x-hint': recipientTypes.join(' or ') })),
  first_name: NamePart("The recipient's first name. For a business, the first word of its name."),
  last_name: NamePart("The recipient's last name. For a business, the rest of its name, such as `Ltd`."),
  email: Type.Optional(Email({ 'x-hint': 'an email address' })),
  address: Address,
  bank: Bank,
})

export const CreatePayoutRequest = Body('CreatePayoutRequest', {
  amount_gbp: amountField,
  country: countryField,
  reference: Type.Optional(
    Line({
      maxLength: referenceMaxLength,
      description: 'Your own reference. The bank shows its first characters to the recipient.',
    }),
  ),
  recipient: Recipient,
  confirm_code: ConfirmCode('Only for live payouts from the dashboard. Not needed with an API key.'),
})

/** Used by every request that contains the fields of a payout. */
export const payoutFieldErrors: FieldErrors = [
  ['amount_gbp', () => new ApiError('invalid_amount')],
  ['recipient', (missing) => new ApiError('invalid_recipient', { details: { missing } })],
  ['country', () => new ApiError('corridor_not_enabled')],
]

const { address, bank } = Recipient.properties
const once = Text({ minLength: 1 })
const onceName = Text({ minLength: 1, maxLength: nameMaxLength })

/**
 * The older rules, which allowed blank and long texts, control characters and format characters. Stored payouts may
 * contain such texts.
 */
export const RepeatedPayoutRequest = Strict({
  ...CreatePayoutRequest.properties,
  reference: Type.Optional(Text({ maxLength: referenceMaxLength })),
  recipient: Strict({
    ...Recipient.properties,
    first_name: onceName,
    last_name: onceName,
    address: Strict({
      ...address.properties,
      line1: once,
      line2: Type.Optional(Text()),
      city: once,
      postal_code: once,
      region: Type.Optional(Text({ maxLength: regionMaxLength })),
    }),
    bank: Strict({ ...bank.properties, bank_name: once }),
  }),
})

export const IdempotencyKeyHeader = Strict({
  'Idempotency-Key': Pattern(idempotencyKeyPattern, {
    description: 'One key per logical payout, such as your own order ID. Send the same key when you retry.',
    example: 'order-1001',
  }),
})

export const exampleCreatePayoutRequest = {
  amount_gbp: '120.00',
  country: 'GB',
  reference: 'Invoice 1042',
  recipient: {
    type: 'individual',
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: 'ada@example.com',
    address: { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH' },
    bank: { bank_name: 'Barclays', sort_code: '200415', account_number: '38290008' },
  },
}
