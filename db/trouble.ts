// Classifies database errors as transient or permanent, by SQLSTATE and never by message.

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  /** TypeORM's. */
  readonly driverError?: unknown
  /** Of a host with several addresses. */
  readonly errors?: unknown
}

/** The codes of an error and of what caused it; pg's own errors have none, so their messages stand for them. */
export function troubleCodes(error: unknown): string[] {
  if (!isFailure(error)) return []
  const { code, message, cause, driverError, errors } = error
  const own = [code, message].find((text) => typeof text === 'string')
  const inner = [cause, driverError, ...(Array.isArray(errors) ? errors : [])]
  return [...(own ? [own] : []), ...inner.flatMap(troubleCodes)]
}

/** Too busy to answer in time: a lock is held, or the server does not respond. */
export const busyPattern = /^(57014|55P03|40P01|Query read timeout)$/

/** Not there: gone, unreachable, starting, stopping, or out of connections or space. */
export const awayPattern =
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|08|57P|53|Connection terminated|timeout exceeded)/

export function isPassingTrouble(error: unknown): boolean {
  return troubleCodes(error).some((code) => busyPattern.test(code) || awayPattern.test(code))
}

// Checks its properties and not its class: an error of Node may come from another realm.
function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null
}
