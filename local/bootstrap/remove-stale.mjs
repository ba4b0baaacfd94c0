// The first step of a build: what an earlier one compiled from a file that is gone would still be found, and before a folder of the same name.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const dist = join(root, 'dist')
/** Made by later steps of the build and not compiled from a file each. */
const made = ['dashboard', join('api', 'docs', 'assets'), join('worker', 'workflow-bundle.js')]

for (const file of existsSync(dist) ? readdirSync(dist, { recursive: true, withFileTypes: true }) : []) {
  const path = relative(dist, join(file.parentPath, file.name))
  if (!file.isFile() || !path.endsWith('.js') || made.some((part) => path === part || path.startsWith(part + sep)))
    continue
  if (!existsSync(join(root, path.replace(/\.js$/, '.ts')))) rmSync(join(dist, path))
}
