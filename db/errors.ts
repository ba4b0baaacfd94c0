// Classifies database errors as transient or permanent, by SQLSTATE and system error codes.

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  /** Set on TypeORM errors. */
  readonly driverError?: unknown
  /** Set on the AggregateError for a failed connection to a host with several addresses. */
  readonly errors?: unknown
}

/** Returns the codes of an error and of its causes. pg's own errors have no code, so their messages are used. */
export function errorCodes(error: unknown): string[] {
  if (!isFailure(error)) return []
  const { code, message, cause, driverError, errors } = error
  const own = [code, message].find((text) => typeof text === 'string')
  const inner = [cause, driverError, ...(Array.isArray(errors) ? errors : [])]
  return [...(own ? [own] : []), ...inner.flatMap(errorCodes)]
}

/** The server is too busy to answer in time, or another transaction holds a lock. */
export const busyPattern = /^(57014|55P03|40P01|Query read timeout)$/

/** The server is unreachable, starting, stopping, or out of connections or space. */
export const awayPattern =
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|08|57P|53|Connection terminated|timeout exceeded)/

export function isTransient(error: unknown): boolean {
  return errorCodes(error).some((code) => busyPattern.test(code) || awayPattern.test(code))
}

// Does not use `instanceof`, because a Node error may come from another realm.
function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null
}
