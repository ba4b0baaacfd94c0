// The last step of the build: bundles the workflows, unless the existing bundle was built from the same sources.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { version } from '@temporalio/worker/package.json'
import { bundlePath, madeFromPath } from './bundle-path'

async function main(): Promise<void> {
  const fingerprint = fingerprintOf(['workflows', 'domain', 'worker/bundle.js'].flatMap(filesBelow))
  if (existsSync(bundlePath) && madeFrom() === fingerprint) return
  // The bundler is imported only here, because loading it takes longer than the check above.
  const { bundleWorkflows } = await import('./bundle.js')
  const { code } = await bundleWorkflows()
  replace(bundlePath, code)
  replace(madeFromPath, fingerprint)
}

function filesBelow(name: string): string[] {
  const path = join(__dirname, '..', name)
  if (name.endsWith('.js')) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .toSorted()
    .map((file) => join(path, file))
}

/** The bundle contains SDK code, which must match the version that loads it. */
function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(version)
  // Uses relative paths, because two machines may have the same build in different folders.
  for (const file of files) hash.update(`\0${relative(__dirname, file)}\0`).update(readFileSync(file))
  return hash.digest('hex')
}

function madeFrom(): string | null {
  return existsSync(madeFromPath) ? readFileSync(madeFromPath, 'utf8') : null
}

/** A worker that starts during the build reads the old file or the new one, never a partial one. */
function replace(path: string, content: string): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

void main()
