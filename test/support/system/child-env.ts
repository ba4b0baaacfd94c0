// The environment variables that a process of ours needs in a test, besides its settings.
import { join } from 'node:path'

export function childEnv(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '' }
}

/** Returns NODE_OPTIONS with one more script, which Node then runs before the program. */
export function preloading(script: string): string {
  return `${process.env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(join(__dirname, script))}`
}
