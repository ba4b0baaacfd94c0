// The system's own name of a failure (ENOENT, EACCES …), for those who decide by it.

export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
