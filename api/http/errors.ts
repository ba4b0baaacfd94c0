// All API errors in one table, which the responses, the OpenAPI document and the tests use.

interface ErrorDefinition {
  readonly status: number
  readonly message: string
  readonly cause: string
  readonly cure: string
}

export const errorTable = {
  bad_request: {
    status: 400,
    message: 'The request is not valid HTTP.',
    cause: 'The request line or the headers could not be read.',
    cure: 'Send a well-formed HTTP/1.1 request.',
  },
  idempotency_key_required: {
    status: 400,
    message: 'The Idempotency-Key header is required: 8 to 100 letters, digits, "_", "-", ":" or ".".',
    cause: 'A request to create a payout or a note has no Idempotency-Key header, or a malformed one.',
    cure: 'Send one key per logical payout, such as your own order ID. Send the same key when you retry.',
  },
  invalid_json: {
    status: 400,
    message: 'The body is not valid JSON.',
    cause: 'The body is empty, is not UTF-8 JSON, contains a lone surrogate, or repeats a key inside one object.',
    cure: 'Send one JSON object, each key once.',
  },
  unauthorized: {
    status: 401,
    message: 'The API key is missing or not valid.',
    cause:
      'The Authorization header is missing, or the key is mistyped or revoked. In the dashboard: the session has ended.',
    cure: 'Send "Authorization: Bearer <API key>" with a key from the dashboard; in the dashboard, sign in again.',
  },
  invalid_code: {
    status: 401,
    message: 'This code is not valid. Check it, or request a new one.',
    cause:
      'The code is wrong, already used or older than 10 minutes. Or it was entered wrongly too often, requested in another browser, or replaced by a newer one.',
    cure: 'Enter the newest code in the browser that requested it, or request a new one.',
  },
  insufficient_funds: {
    status: 402,
    message: 'The wallet balance is too low; top up and retry.',
    cause: "The wallet does not cover the recipient's amount plus the bank's share of the fee.",
    cure: 'Top up the wallet by the shortfall in details, then retry with the same Idempotency-Key.',
  },
  partner_not_active: {
    status: 403,
    message: 'The account is not active.',
    cause:
      'The account is suspended or closed. Reads still work, except for the balance. New payouts are refused. While it is suspended, keys can be revoked, members removed or demoted to viewer, and payouts cancelled.',
    cure: 'Contact support.',
  },
  api_key_required: {
    status: 403,
    message: 'This caller is not allowed to perform this operation.',
    cause: 'A viewer tried to make a change, or the route does not allow this kind of caller.',
    cure: 'Use an API key, or ask an admin.',
  },
  verification_required: {
    status: 403,
    message: 'Business verification must be approved first.',
    cause: 'A live key or a live payout was requested before verification was approved.',
    cure: 'Complete business verification. The sandbox works without it.',
  },
  forbidden_origin: {
    status: 403,
    message: 'This request does not come from the dashboard itself.',
    cause:
      'A signed-in person can make changes only from our own pages. Origin, Sec-Fetch-Site or Content-Type shows another source.',
    cure: 'Use the dashboard, or an API key.',
  },
  not_found: {
    status: 404,
    message: 'There is no such resource.',
    cause: 'The ID or slug is unknown, malformed, or belongs to another account.',
    cure: 'Check the ID, and that the key belongs to the environment of the object.',
  },
  route_not_found: {
    status: 404,
    message: 'There is no such route.',
    cause: 'The path is not part of this API.',
    cure: 'Check the path; every versioned path starts with /v1.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This route does not support this method.',
    cause: 'The path exists, but not for this method.',
    cure: 'Use a method from the Allow header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    cause: 'The headers or the body arrived too slowly.',
    cure: 'Send the request again.',
  },
  key_limit_reached: {
    status: 409,
    message: 'This environment already has 5 keys.',
    cause: 'An environment has at most 5 keys that are not revoked.',
    cure: 'Revoke one first.',
  },
  invalid_state: {
    status: 409,
    message: 'The resource is in a state that does not allow this.',
    cause:
      'The current state does not allow the request. Examples: the payout is already final, the key is already revoked, or the member is the last admin.',
    cure: 'Read details.status.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is larger than 64 KiB.',
    cause: 'The body is too large.',
    cure: 'Send a smaller body; one request is one payout.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be sent as application/json, not compressed.',
    cause: 'The Content-Type is missing or not application/json, or the body has a Content-Encoding.',
    cure: 'Send "Content-Type: application/json".',
  },
  invalid_amount: {
    status: 422,
    message: 'amount_gbp must be a string of pounds and pence from 1.00 to 20000.00, such as "120.00".',
    cause: 'The amount is missing, malformed, or outside the limits.',
    cure: "Send a string with two decimals, within the account's limits (see GET /v1/compliance).",
  },
  invalid_recipient: {
    status: 422,
    message: "The recipient's details are missing or malformed.",
    cause: 'A required field is missing, a field has the wrong format, or the recipient has an unknown field.',
    cure: 'details.missing lists up to 20 fields with their rules.',
  },
  corridor_not_enabled: {
    status: 422,
    message: 'This country is not enabled for the account.',
    cause: 'The country is not GB, or GB is switched off for the account.',
    cure: 'Send "GB" or leave the field out.',
  },
  invalid_request: {
    status: 422,
    message: 'A field is missing, malformed, or unknown.',
    cause:
      'A query parameter or a field outside amount, recipient and country breaks its rule, or the body has more than 100 fields.',
    cure: 'details.errors lists up to 20 fields with their rules.',
  },
  invalid_confirm_code: {
    status: 422,
    message: 'The confirm code is missing or not valid.',
    cause:
      'In the dashboard, a live payout, a live key, a new admin and a changed billing or contact email need the code that was ' +
      'emailed for exactly this request.',
    cure: 'POST the same body to the same path followed by /confirm-codes. Then repeat this request with the emailed code as confirm_code.',
  },
  recipient_account_rejected: {
    status: 422,
    message: 'The bank rejected the account.',
    cause: 'The bank refused to register the bank account. Nothing was sent.',
    cure: 'Check the sort code and the account number with the recipient, then retry with the same Idempotency-Key.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key belongs to another payout.',
    cause:
      'The key was used before with a different body. details.differing_fields names the fields that differ; the recipient counts as one field.',
    cure: 'Look up the payout in details.payout_id first: this key has already been used for it. Use a new key only to make a separate, additional payment.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests.',
    cause:
      'One of these limits was exceeded: requests per second; payouts created at once; lists and totals read at once; codes requested or tried; keys or invitations created in one hour; Idempotency-Keys reused with another body; guesses of account details; or unknown keys from one address.',
    cure: 'Wait for the number of seconds in Retry-After, then send the request again.',
  },
  headers_too_large: {
    status: 431,
    message: 'The headers are too large.',
    cause: 'The request line and headers together exceed 16 KiB.',
    cure: 'Send smaller headers.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side.',
    cause: 'There is a bug on our side. We have logged it with the request ID.',
    cure: 'Retry with the same Idempotency-Key. If it fails again, contact support with the X-Request-Id.',
  },
  provider_unavailable: {
    status: 502,
    message: 'The bank is not available at the moment.',
    cause: 'The bank does not respond, or its exchange rate is implausible and awaits a check by an operator.',
    cure: 'Retry after the time in Retry-After.',
  },
  payout_not_created: {
    status: 502,
    message: 'No payout was created and nothing was sent.',
    cause: 'The bank could not be reached before anything was sent, or its exchange rate is implausible.',
    cure: 'Retry with the same Idempotency-Key.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service is not available at the moment.',
    cause:
      'The service is starting or stopping, cannot reach its database, creates too many payouts at the moment, or a read took longer than 2 seconds.',
    cure: 'Retry after the time in Retry-After.',
  },
} as const satisfies Record<string, ErrorDefinition>

export type ErrorCode = keyof typeof errorTable

/** An error response. The middleware turns any other thrown error into service_unavailable or internal_error. */
export class ApiError extends Error {
  readonly status: number

  constructor(
    readonly code: ErrorCode,
    readonly options: { details?: unknown; headers?: Record<string, string>; message?: string } = {},
  ) {
    super(options.message ?? errorTable[code].message)
    this.name = 'ApiError'
    this.status = errorTable[code].status
  }
}

export function presentError(error: ApiError): { error: { code: string; message: string; details?: unknown } } {
  const { details } = error.options
  return { error: { code: error.code, message: error.message, ...(details === undefined ? {} : { details }) } }
}
