// Bundles the workflow code into the file that workers load. Run as a program, it is the last step of the build.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { version } from '@temporalio/worker/package.json'
import { bundlePath, madeFrom } from './bundle-path'

/** TypeScript when run from the sources, JavaScript when compiled. */
const extension = extname(__filename)

/** Writes the bundle, unless the existing one was built from the same sources, because bundling takes seconds. */
export async function bundleInto(path: string): Promise<void> {
  const fingerprint = fingerprintOfSources()
  if (madeFrom(path) === fingerprint) return
  const { code } = await bundleWorkflows()
  if (fingerprintOfSources() !== fingerprint) throw new Error('The workflows changed while they were bundled.')
  // On the first line, so that the line numbers of the source map stay correct.
  const bundle = `/* made from ${fingerprint} */${code}`
  // A worker that starts meanwhile reads the old file or the new one, never a partial one.
  const aside = `${path}.${process.pid}`
  writeFileSync(aside, bundle)
  renameSync(aside, path)
}

export async function bundleWorkflows(workflowsPath = besideUs('index')): Promise<{ code: string }> {
  // Imported only here, because loading the bundler takes longer than checking whether it is needed.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker')
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [besideUs('trace-context')],
    logger: new DefaultLogger('WARN'),
    // Stack traces need file names and line numbers. Including the sources would double the size of the bundle.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  })
  return { code }
}

function besideUs(name: string): string {
  return join(__dirname, '..', 'workflows', `${name}${extension}`)
}

function filesBelow(name: string): string[] {
  const path = join(__dirname, '..', name)
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .toSorted()
    .map((file) => join(path, file))
}

/** The bundle contains SDK code, which must match the version that loads it. */
function fingerprintOfSources(): string {
  const files = [...filesBelow('workflows'), ...filesBelow('domain'), __filename]
  const hash = createHash('sha256').update(version)
  // Uses relative paths, because two machines may have the same build in different folders.
  for (const file of files) hash.update(`\0${relative(__dirname, file)}\0`).update(readFileSync(file))
  return hash.digest('hex')
}

if (require.main === module) void bundleInto(bundlePath)
