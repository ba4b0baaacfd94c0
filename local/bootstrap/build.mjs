// Builds dist/ if a source was changed, added or deleted since the last build.

import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runNpm, showProgress } from './run.mjs'

const notSources = new Set(['node_modules', 'dist', 'test', 'coverage'])

export async function build(root) {
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

/** Size and modification time of every file that a build may read, and the installation stamp. */
function sources(root) {
  const found = { installed: readFileSync(join(root, 'node_modules', '.installed'), 'utf8') }
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || (folder === root && notSources.has(entry.name))) continue
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
