// The workflow bundle of this build: its path and version.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const bundlePath = join(__dirname, 'workflow-bundle.js')

/** The file with the fingerprint of a bundle's sources. */
export function madeFromPathOf(path: string): string {
  return `${path}.made-from`
}

/** The version of a worker's code: the package version and a fingerprint of its workflows. */
export function ownVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  return `${version}+${readFileSync(madeFromPathOf(bundlePath), 'utf8').slice(0, 8)}`
}
