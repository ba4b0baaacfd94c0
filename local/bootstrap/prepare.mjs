// Installs and builds, one process at a time.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { withLock } from './lock.mjs'

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
