// Installs the locked dependencies when they are missing, stale or only half there.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { showProgress } from './progress.mjs'
import { runNpm } from './run.mjs'

// Said on the command line, where they win over what somebody's environment or npmrc says: NODE_ENV=production would leave out the compiler.
const flags = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']

const machine = [process.platform, process.arch, process.versions.node.split('.')[0]].join(' ')

export async function install(root) {
  const stamp = join(root, 'node_modules', '.installed')
  const wanted = fingerprint(root)
  if (read(stamp) === wanted) return
  if ([null, machine].includes(read(stamp)?.split('\n')[0] ?? null) && isComplete(root)) {
    writeFileSync(stamp, wanted)
    return
  }

  // Removed first: what is installed is not to be trusted again before npm has finished.
  rmSync(stamp, { force: true })
  const packages = packagesFor(root)
  const installed = () => packages.filter((path) => existsSync(join(root, path, 'package.json'))).length
  const progress = showProgress('Installing dependencies', () => `${installed()} of ${packages.length} packages`)
  const failure = await runNpm(root, ['ci', ...flags])
  if (failure !== null) {
    progress.failed()
    throw new Error(`The dependencies could not be installed. npm said:\n${failure}`)
  }
  writeFileSync(stamp, wanted)
  progress.done(`Dependencies, ${installed()} packages`)
}

/** Everything that decides what has to be installed. */
function fingerprint(root) {
  const { dependencies, devDependencies, optionalDependencies, overrides } = json(join(root, 'package.json'))
  const declared = JSON.stringify({ dependencies, devDependencies, optionalDependencies, overrides })
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(declared)
  return `${machine}\n${hash.digest('hex')}\n`
}

/** Whether somebody's own npm has done it: it leaves a list of what it installed behind, but only once it has finished. */
function isComplete(root) {
  const list = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(list)) return false
  const { packages: locked } = json(join(root, 'package-lock.json'))
  const { packages: installed } = json(list)
  const same = Object.entries(installed).every(([path, { version }]) => locked[path]?.version === version)
  return same && packagesFor(root).every((path) => path in installed)
}

/** The locked packages that this machine gets; the others are for other systems. */
function packagesFor(root) {
  const fits = (list, mine) => !list || list.includes(mine)
  const { packages } = json(join(root, 'package-lock.json'))
  const libc = process.report?.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .filter(([, { os, cpu }]) => fits(os, process.platform) && fits(cpu, process.arch))
    .filter(([, each]) => process.platform !== 'linux' || fits(each.libc, libc))
    .map(([path]) => path)
}

function json(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}
