// Example error bodies for the documents: the message of the table, with details where the code has them.
import { ApiError, type ErrorCode, presentError } from '../http/errors'

const details: Partial<Record<ErrorCode, unknown>> = {
  insufficient_funds: {
    required_usdc: '155.27',
    available_usdc: '100.00',
    shortfall_usdc: '55.27',
    shortfall_approx_gbp: '43.11',
  },
  invalid_state: { status: 'revoked' },
  invalid_recipient: {
    missing: ['recipient.bank.sort_code (6 digits)', 'recipient.address.city (1 to 140 visible characters and spaces)'],
  },
  invalid_request: { errors: ['limit (1 to 200)'] },
  idempotency_key_reused: {
    payout_id: '5b1f7a52-5f0e-4a4e-8d2e-3f6c1c0a9b11',
    differing_fields: ['amount_gbp'],
  },
}

export function errorExample(code: ErrorCode): ReturnType<typeof presentError> {
  return presentError(new ApiError(code, { details: details[code] }))
}
