// Installs the locked dependencies if they are missing, outdated or incomplete.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm, showProgress } from './run.mjs'

// Command-line options override the environment and npmrc files: NODE_ENV=production would omit the compiler.
const flags = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']

const machine = [process.platform, process.arch, process.versions.node.split('.')[0]].join(' ')

export async function install(root) {
  const stamp = join(root, 'node_modules', '.installed')
  const wanted = fingerprint(root)
  if (read(stamp) === wanted) return
  const isSameMachine = [null, machine].includes(read(stamp)?.split('\n')[0] ?? null)
  // Removes the stamp first, so that an interrupted installation does not count as complete.
  rmSync(stamp, { force: true })
  if (!isSameMachine || !isComplete(root)) await installLocked(root)
  await runApprovedScripts(root)
  writeFileSync(stamp, wanted)
}

/**
 * Skips install scripts, because only npm 12 and newer obey `allowScripts`; older versions run those of every package.
 */
async function installLocked(root) {
  const packages = packagesFor(root)
  const installed = () => packages.filter((path) => existsSync(join(root, path, 'package.json'))).length
  const progress = showProgress('Installing dependencies', () => `${installed()} of ${packages.length} packages`)
  const failure = await runNpm(root, ['ci', '--ignore-scripts', ...flags])
  if (failure !== null) {
    progress.failed()
    throw new Error(`npm could not install the dependencies. Its output:\n${failure}`)
  }
  progress.done(`Dependencies, ${installed()} packages`)
}

/** Runs the install scripts that `allowScripts` approves. Only PostgreSQL's is approved; it creates symbolic links. */
async function runApprovedScripts(root) {
  const { allowScripts = {} } = json(join(root, 'package.json'))
  const names = packagesFor(root).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  const approved = names.filter((name) => allowScripts[name] === true)
  if (approved.length === 0) return
  const failure = await runNpm(root, ['rebuild', '--ignore-scripts=false', '--loglevel=error', ...approved])
  if (failure !== null)
    throw new Error(`The install script of ${approved.join(', ')} failed. Output of npm:\n${failure}`)
}

/** Changes when the platform, Node's major version, the lock file or the declared dependencies change. */
function fingerprint(root) {
  const { dependencies, devDependencies, optionalDependencies, overrides, allowScripts } = json(
    join(root, 'package.json'),
  )
  const declared = JSON.stringify({ dependencies, devDependencies, optionalDependencies, overrides, allowScripts })
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(declared)
  return `${machine}\n${hash.digest('hex')}\n`
}

/** Whether npm has installed all locked packages. npm writes its list of packages only at the end. */
function isComplete(root) {
  const list = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(list)) return false
  const { packages: locked } = json(join(root, 'package-lock.json'))
  const { packages: installed } = json(list)
  const same = Object.entries(installed).every(([path, { version }]) => locked[path]?.version === version)
  return same && packagesFor(root).every((path) => path in installed)
}

/** The locked packages for this platform. */
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
