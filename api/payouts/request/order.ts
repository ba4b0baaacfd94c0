// A payout request in canonical form, from which the fingerprint, the sealed bank details and the quote are computed.
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
  /** Sent with the request, but not part of the payout: a retry without it is the same payout. */
  readonly confirmCode: string | null
  /**
   * Requests with equal fields count as the same request. Key order, white space, omitted defaults and leading zeros do
   * not matter.
   */
  readonly fields: CanonicalFields
}

export function readPayoutRequest(body: Static<typeof CreatePayoutRequest>): PayoutRequest {
  const { confirm_code, country = 'GB', reference, recipient: given, amount_gbp, ...rest } = body
  const amountPence = parsePence(amount_gbp)
  assert(amountPence !== null, 'the schema accepts only amounts')
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

/** Flattens to names such as `recipient.bank.sort_code`. Absent fields stay absent. */
function flatten(value: object, path = '', into: Record<string, string> = {}): Record<string, string> {
  for (const [name, part] of Object.entries<unknown>({ ...value })) {
    if (typeof part === 'string') into[path + name] = part
    else if (typeof part === 'object' && part !== null) flatten(part, `${path}${name}.`, into)
  }
  return into
}

interface StoredOrder {
  readonly amountPence: bigint
  readonly reference: string | null
}

/**
 * The request fields of a stored payout. Omits the fields that the original request omitted, so the fingerprint
 * matches.
 */
export function fieldsOfStoredOrder({ amountPence, reference }: StoredOrder, details: BankDetails): CanonicalFields {
  const { email, address, type, firstName, lastName, bankName, sortCode, accountNumber } = details
  const { line1, line2, city, postalCode, region } = address
  const { fields } = readPayoutRequest({
    amount_gbp: formatPence(amountPence),
    ...(reference !== null && { reference }),
    recipient: {
      type,
      first_name: firstName,
      last_name: lastName,
      ...(email !== null && { email }),
      address: {
        line1,
        ...(line2 !== null && { line2 }),
        city,
        postal_code: postalCode,
        ...(region !== null && { region }),
      },
      bank: { bank_name: bankName, sort_code: sortCode, account_number: accountNumber },
    },
  })
  return fields
}
