// A payout's request as it is fingerprinted, sealed and quoted: every value in one form, whatever form it came in.
import type { Static } from 'typebox'
import type { CanonicalFields } from '../../../db/payouts/fingerprint'
import type { BankDetails } from '../../../db/payouts/recipients/sealed'
import { assert } from '../../../domain/assert'
import type { Country } from '../../../domain/limits'
import { formatPence, type Pence, parsePence } from '../../../domain/money'
import type { CreatePayoutRequest, Recipient } from './body'

export interface PayoutRequest {
  readonly amountPence: Pence
  readonly country: Country
  readonly reference: string | null
  readonly recipientName: string
  readonly details: BankDetails
  /** Belongs to one request and not to the payout: a retry without it asks for the same payout. */
  readonly confirmCode: string | null
  /** What makes two requests the same: JSON's order and spaces, left-out defaults and leading zeros do not count. */
  readonly fields: CanonicalFields
}

export function readPayoutRequest(body: Static<typeof CreatePayoutRequest>): PayoutRequest {
  const { confirm_code, country = 'GB', reference, recipient: given, amount_gbp, ...rest } = body
  const amountPence = parsePence(amount_gbp)
  assert(amountPence !== null, 'the schema lets only amounts through')
  const recipient = { ...given, type: given.type ?? 'individual' } as const
  return {
    amountPence,
    country,
    reference: reference ?? null,
    recipientName: `${recipient.first_name} ${recipient.last_name}`,
    details: detailsOf(recipient),
    confirmCode: confirm_code ?? null,
    fields: flatten({ ...rest, amount_gbp: formatPence(amountPence), country, reference, recipient }),
  }
}

function detailsOf(recipient: Static<typeof Recipient>): BankDetails {
  const { type = 'individual', first_name, last_name, email = null, address, bank } = recipient
  return {
    type,
    firstName: first_name,
    lastName: last_name,
    email,
    address: {
      line1: address.line1,
      line2: address.line2 ?? null,
      city: address.city,
      postalCode: address.postal_code,
      region: address.region ?? null,
    },
    bankName: bank.bank_name,
    sortCode: bank.sort_code,
    accountNumber: bank.account_number,
  }
}

/** `recipient.bank.sort_code` and the like, by the names that the request itself uses; what is absent stays absent. */
function flatten(value: object, path = '', into: Record<string, string> = {}): Record<string, string> {
  for (const [name, part] of Object.entries<unknown>({ ...value })) {
    if (typeof part === 'string') into[path + name] = part
    else if (typeof part === 'object' && part !== null) flatten(part, `${path}${name}.`, into)
  }
  return into
}
