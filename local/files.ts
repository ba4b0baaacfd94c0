// File access for a local system: finds the project folder, writes private files, and reads system error codes.
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The error code, such as ENOENT or EACCES. Does not use instanceof: in Jest, errors from Node.js are not instances
 * of the global Error.
 */
export function errorCode(error: unknown): string | null {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
  return isCoded ? String(error.code) : null
}

/** Writes a file atomically, readable by its owner only. */
export function writePrivate(path: string, content: object | string): void {
  const part = `${path}.${process.pid}.part`
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  writeFileSync(part, `${text}\n`, { mode: 0o600 })
  renameSync(part, path)
}

/**
 * The folder that contains package.json. Searches upwards, because compiled files are one level deeper than their
 * sources.
 */
export function projectDir(): string {
  let dir = __dirname
  while (!existsSync(join(dir, 'package.json')) && dirname(dir) !== dir) dir = dirname(dir)
  return dir
}
