// The version of a worker's code: the package version and a fingerprint of its workflows.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { madeFromPath } from './bundle-path'

export function ownVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  return `${version}+${readFileSync(madeFromPath, 'utf8').slice(0, 8)}`
}
