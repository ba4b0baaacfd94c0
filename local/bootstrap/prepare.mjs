// Installs and builds, one process at a time.

import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './install.mjs'
import { withLock } from './lock.mjs'
import { runNpm, showProgress } from './run.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

export async function prepare() {
  stopWithParent()
  await withLock(root, async () => {
    await install(root)
    await build(root)
  })
}

/** Exiting releases the lock and closes the pipe that keeps npm alive. */
function stopWithParent() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && process.exit(1), 500).unref()
}

const notSources = new Set(['dist', 'test', 'coverage'])

/** Builds dist/ if a source file was changed, added or deleted since the last build. */
async function build(root) {
  const list = join(root, 'dist', '.sources.json')
  const [before, now] = [readList(list), sources(root)]
  if (before !== null && isSame(before, now)) return

  // The output of a deleted source could still be imported, or run as a migration.
  const isGone = (file) => !(file in now)
  if (before === null || Object.keys(before).some(isGone)) rmSync(join(root, 'dist'), { recursive: true, force: true })
  rmSync(list, { force: true })
  const progress = showProgress('Building')
  const failure = await runNpm(root, ['run', '-s', 'build'])
  if (failure !== null) {
    progress.failed()
    throw new Error(`The build failed:\n${failure}`)
  }
  // The list predates the build, so a file saved during the build triggers another build next time.
  writeFileSync(list, JSON.stringify(now))
  progress.done('Build')
}

/** The size and modification time of every file that a build may read, and the installation stamp. */
function sources(root) {
  const found = { installed: readFileSync(join(root, 'node_modules', '.installed'), 'utf8') }
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const isOther = entry.name === 'node_modules' || (folder === root && notSources.has(entry.name))
      if (entry.name.startsWith('.') || isOther) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) found[relative(root, path)] = signature(path)
    }
  }
  walk(root)
  return found
}

function signature(path) {
  const { size, mtimeMs } = statSync(path)
  return `${size} ${mtimeMs}`
}

function isSame(before, now) {
  const [files, others] = [Object.keys(now), Object.keys(before)]
  return files.length === others.length && files.every((file) => before[file] === now[file])
}

function readList(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}
