// Which code a worker runs: the version of the package, and a fingerprint of the workflows it was built with.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { madeFromPath } from './bundle-path'

export function ownVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  return `${version}+${readFileSync(madeFromPath, 'utf8').slice(0, 8)}`
}
