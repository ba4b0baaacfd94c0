// The system's own name of a failure (ENOENT, EACCES …), for those who decide by it.

/** Asks for no class: an error that Node itself makes is not an instance of the Error that Jest gives to tests. */
export function errorCode(error: unknown): string | null {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
  return isCoded ? String(error.code) : null
}
