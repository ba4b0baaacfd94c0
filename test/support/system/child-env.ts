// The environment variables that a process of ours needs in a test, besides its settings.
import { join } from 'node:path'

export function childEnv(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: preloading() }
}

/** For a process that runs as in production, without the scripts that the others preload. */
export const notPreloaded = { NODE_OPTIONS: '' }

/** Returns NODE_OPTIONS with the scripts that Node runs before the program. The first one is for every process. */
export function preloading(...scripts: readonly string[]): string {
  return ['preload.cjs', ...scripts].map((script) => `--require ${JSON.stringify(join(__dirname, script))}`).join(' ')
}
