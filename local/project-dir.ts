// Finds the folder of package.json.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Searches upwards, because compiled files are one level deeper than their sources. */
export function projectDir(): string {
  let dir = __dirname
  while (!existsSync(join(dir, 'package.json')) && dirname(dir) !== dir) dir = dirname(dir)
  return dir
}
