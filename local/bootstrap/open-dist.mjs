// First step of a build: removes old files from dist/, and writes packages into it that Node loads faster as one file.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const dist = join(root, 'dist')
/** Output of later build steps that has no source file of the same name. */
const made = ['dashboard', 'node_modules', join('api', 'docs', 'assets'), join('worker', 'workflow-bundle.js')]

removeStale()
for (const name of ['typebox', 'typeorm']) await writeAsOneFile(name)

/** Node would still import compiled files whose source was deleted, and would prefer one to a folder of its name. */
function removeStale() {
  for (const file of existsSync(dist) ? readdirSync(dist, { recursive: true, withFileTypes: true }) : []) {
    const path = relative(dist, join(file.parentPath, file.name))
    if (!file.isFile() || !path.endsWith('.js') || made.some((part) => path === part || path.startsWith(part + sep)))
      continue
    if (!existsSync(join(root, path.replace(/\.js$/, '.ts')))) rmSync(join(dist, path))
  }
}

/** Programs in dist/ find the file before the package, which consists of hundreds of modules. */
async function writeAsOneFile(name) {
  const bundle = await rolldown({ input: createRequire(import.meta.url).resolve(name), platform: 'node' })
  const { output } = await bundle.generate({ format: 'cjs', exports: 'named' })
  const path = join(dist, 'node_modules', name, 'index.js')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, output[0].code)
  renameSync(`${path}.new`, path)
}
