// Log files of the parts: one per run, with the previous one kept, and their last lines for error messages.

import { closeSync, fstatSync, openSync, readSync, renameSync } from 'node:fs'
import { errorCode } from '../error-code'

/** Opens an empty log for appending. The caller closes the descriptor once the part has inherited it. */
export function openLog(logFile: string): number {
  try {
    renameSync(logFile, `${logFile}.previous`)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  return openSync(logFile, 'a', 0o600)
}

export function tailOf(logFile: string, lines = 15): string {
  return lastBytes(logFile, 16_384).trimEnd().split('\n').slice(-lines).join('\n')
}

export function lastBytes(logFile: string, count: number): string {
  try {
    const file = openSync(logFile, 'r')
    try {
      const buffer = Buffer.alloc(count)
      const start = Math.max(0, fstatSync(file).size - count)
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, count, start))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}
