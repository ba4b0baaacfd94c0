// The environment variables that a process of ours needs in a test, besides its settings.
import { join } from 'node:path'

export function childEnv(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: preloading() }
}

/** Returns NODE_OPTIONS with the scripts that Node runs before the program. The first one caches compiled code. */
export function preloading(...scripts: readonly string[]): string {
  return ['compile-cache.cjs', ...scripts]
    .map((script) => `--require ${JSON.stringify(join(__dirname, script))}`)
    .join(' ')
}
