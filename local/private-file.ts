// Writes files in DATA_DIR atomically, readable by their owner only.

import { renameSync, writeFileSync } from 'node:fs'

export function writePrivate(path: string, content: object | string): void {
  const part = `${path}.${process.pid}.part`
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  writeFileSync(part, `${text}\n`, { mode: 0o600 })
  renameSync(part, path)
}
