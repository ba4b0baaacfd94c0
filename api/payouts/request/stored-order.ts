// Rebuilds the request fields of a stored payout, to compute its fingerprint again.
import type { CanonicalFields } from '../../../db/payouts/fingerprint'
import type { BankDetails } from '../../../db/payouts/recipients/sealed'
import { formatPence } from '../../../domain/money'
import { readPayoutRequest } from './order'

interface StoredOrder {
  readonly amountPence: bigint
  readonly reference: string | null
}

/** Fields that were absent are absent again, so the fingerprint is that of the original body. */
export function fieldsOfStored({ amountPence, reference }: StoredOrder, details: BankDetails): CanonicalFields {
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
