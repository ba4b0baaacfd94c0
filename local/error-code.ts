// Reads the system error code (ENOENT, EACCES …) of an error.

/** Does not use instanceof: in Jest, errors of Node.js are not instances of the global Error. */
export function errorCode(error: unknown): string | null {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
  return isCoded ? String(error.code) : null
}
