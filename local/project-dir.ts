// The folder of package.json, for those who look for something beside it.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A source lies one level below it, its compiled twin two. */
export function projectDir(): string {
  let dir = __dirname
  while (!existsSync(join(dir, 'package.json')) && dirname(dir) !== dir) dir = dirname(dir)
  return dir
}
