// The workflow bundle of this build: its path and version.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const bundlePath = join(__dirname, 'workflow-bundle.js')

/** A bundle begins with the fingerprint of its sources. Null if there is no bundle. */
export function madeFrom(path: string): string | null {
  if (!existsSync(path)) return null
  return /^\/\* made from (\w+) \*\//.exec(readFileSync(path, 'utf8'))?.[1] ?? null
}

/** The version of a worker's code: the package version and a fingerprint of its workflows. */
export function ownVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  const fingerprint = madeFrom(bundlePath)
  if (fingerprint === null) throw new Error('There is no workflow bundle: run npm run build.')
  return `${version}+${fingerprint.slice(0, 8)}`
}
