// The errors that the SDK throws. They never contain the API key.

/** The base class of all errors below. */
export class PayoutsError extends Error {
  override readonly name: string = 'PayoutsError'

  constructor(
    message: string,
    /** A stable code for programs. */
    readonly code: string,
    /** Whether the same call, with the same idempotency key, can succeed later. */
    readonly isRetryable: boolean,
    options: ErrorOptions = {},
  ) {
    super(message, options)
  }
}

interface Refusal {
  readonly message: string
  readonly code: string
  readonly status: number
  readonly details: unknown
  readonly requestId: string | null
  readonly retryAfterMs: number | null
}

/** The API refused the call. `code`, `status` and `details` are described in the API reference. */
export class ApiError extends PayoutsError {
  override readonly name = 'ApiError'
  readonly status: number
  readonly details: unknown
  /** Send this ID to support. Null if the response did not come from the API. */
  readonly requestId: string | null
  /** The time to wait before the next attempt, if the API named one. */
  readonly retryAfterMs: number | null

  constructor({ message, code, status, details, requestId, retryAfterMs }: Refusal) {
    super(message, code, isTransient(status))
    this.status = status
    this.details = details
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/** No complete response arrived, so it is unknown whether the API received the request. */
export class NetworkError extends PayoutsError {
  override readonly name: string = 'NetworkError'

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, 'network_error', true, options)
  }
}

/** A request or `waitFor` took longer than `timeoutMs`. */
export class TimeoutError extends PayoutsError {
  override readonly name = 'TimeoutError'

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, 'timeout', true, options)
  }
}

/** A payout can no longer reach the status that `waitFor` waits for. */
export class UnreachableStatusError<Payout> extends PayoutsError {
  override readonly name = 'UnreachableStatusError'

  constructor(
    message: string,
    readonly payout: Payout,
  ) {
    super(message, 'unreachable_status', false)
  }
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}
