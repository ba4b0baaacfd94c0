// First step of a build: removes compiled files whose source was deleted. Node would still import them, and would
// prefer such a file to a folder of the same name.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const dist = join(root, 'dist')
/** Output of later build steps that has no source file of the same name. */
const made = ['dashboard', join('api', 'docs', 'assets'), join('worker', 'workflow-bundle.js')]

for (const file of existsSync(dist) ? readdirSync(dist, { recursive: true, withFileTypes: true }) : []) {
  const path = relative(dist, join(file.parentPath, file.name))
  if (!file.isFile() || !path.endsWith('.js') || made.some((part) => path === part || path.startsWith(part + sep)))
    continue
  if (!existsSync(join(root, path.replace(/\.js$/, '.ts')))) rmSync(join(dist, path))
}
