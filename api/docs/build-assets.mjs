// Build step: writes the assets of /docs into dist, compressed and named by content hash. Production then does not
// need the packages that contain them.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const assets = join(root, 'dist/api/docs/assets')
// This package contains the same file as @scalar/api-reference, and installs 250 fewer packages.
const scalar = dirname(fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference')))

const sources = {
  scalar: join(scalar, 'js/standalone.js'),
  start: join(here, 'page/start.js'),
  style: join(here, 'page/style.css'),
  icon: join(here, 'page/icon.svg'),
}

await mkdir(assets, { recursive: true })
const written = await Promise.all(Object.entries(sources).map(([name, file]) => publish(name, file)))
await removeAllBut(written.flat())

await mkdir(join(root, 'dist/docs'), { recursive: true })
await writeWhole(join(root, 'dist/docs/guide.md'), await readFile(join(root, 'docs/guide.md')))

/**
 * The name contains the content hash, so clients can cache the file permanently, and an existing file is up to date.
 */
async function publish(name, file) {
  const content = await readFile(file)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const target = `${name}-${hash}${extname(file)}`
  const made = [`${target}.br`, `${target}.gz`, target]
  if (made.every((each) => existsSync(join(assets, each)))) return made

  // Brotli quality 9 takes 0.7 s for the reference. Quality 11 takes 9 s and makes the file only 10% smaller.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeWhole(join(assets, `${target}.br`), await promisify(brotliCompress)(content, { params }))
  await writeWhole(join(assets, `${target}.gz`), await promisify(gzip)(content))
  await writeWhole(join(assets, target), content)
  return made
}

async function removeAllBut(names) {
  const stale = (await readdir(assets)).filter((name) => !names.includes(name) && !name.endsWith('.part'))
  await Promise.all(stale.map((name) => rm(join(assets, name))))
}

/**
 * Writes to a temporary name first, so that an interrupted or concurrent build leaves no partial file under a final
 * name.
 */
async function writeWhole(file, content) {
  const part = `${file}.${process.pid}.part`
  await writeFile(part, content)
  await rename(part, file)
}
