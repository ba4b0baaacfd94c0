// First step of a build: removes old files from dist/, and bundles two packages into one file each, which Node loads
// faster.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const dist = join(root, 'dist')
const packages = ['typebox', 'typeorm']
/** Output of the build that has no source file of the same name. */
const made = [
  'dashboard',
  join('api', 'docs', 'assets'),
  join('worker', 'workflow-bundle.js'),
  ...packages.map((name) => join('node_modules', name, 'index.js')),
]

removeStale()
for (const name of packages) await bundle(name)

/**
 * Removes compiled files whose source was deleted. Node would still import them, and would prefer such a file to a
 * folder of the same name.
 */
function removeStale() {
  for (const file of existsSync(dist) ? readdirSync(dist, { recursive: true, withFileTypes: true }) : []) {
    const path = relative(dist, join(file.parentPath, file.name))
    if (!file.isFile() || !path.endsWith('.js') || made.some((part) => path === part || path.startsWith(part + sep)))
      continue
    if (!existsSync(join(root, path.replace(/\.js$/, '.ts')))) rmSync(join(dist, path))
  }
}

/** Programs in dist/ find the bundle before the package, which consists of hundreds of modules. */
async function bundle(name) {
  const build = await rolldown({ input: createRequire(import.meta.url).resolve(name), platform: 'node' })
  // TypeBox's ES modules are strict, but a CommonJS bundle is not by default. This also makes a few packages strict
  // that TypeORM uses.
  const { output } = await build.generate({ format: 'cjs', exports: 'named', strict: true })
  if (output.length !== 1) throw new Error(`The bundle of ${name} has ${output.length} files instead of one.`)
  const path = join(dist, 'node_modules', name, 'index.js')
  mkdirSync(dirname(path), { recursive: true })
  // Written under another name first, so that no process loads an incomplete file.
  const part = `${path}.${process.pid}.part`
  writeFileSync(part, output[0].code)
  renameSync(part, path)
}
