// How many bytes are in a folder by now, while another program fills it and takes its own temporary folders away again.
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../error-code'

export function folderSize(folder: string): number {
  const sizes = entriesOf(folder).map((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return folderSize(path)
    return entry.isFile() ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
