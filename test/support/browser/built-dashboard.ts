// Ensures that the dashboard under test is built from the current sources.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { environment } from '../../../runtime/config/config'

const root = join(__dirname, '../../..')
const page = join(root, 'dist/dashboard/index.html')

export function buildDashboard(): void {
  if (existsSync(page) && statSync(page).mtimeMs >= newest(join(root, 'dashboard'))) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  // Deletes nothing, because another test may be reading the files.
  const options = ['build', '-c', 'dashboard/vite.config.mjs', '-l', 'error', '--emptyOutDir', 'false']
  // With Jest's NODE_ENV, Vite would make a development build, which is never served.
  execFileSync(process.execPath, [vite, ...options], { cwd: root, env: { ...environment(), NODE_ENV: 'production' } })
}

function newest(folder: string): number {
  const times = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  return Math.max(...times)
}
