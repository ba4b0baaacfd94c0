// Build step: writes a brotli and a gzip twin beside each file that is served, so that no request has to wait for one.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const isText = /\.(js|css|svg)$/

export function compressed() {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      const files = Object.keys(bundle).filter((name) => isText.test(name))
      await Promise.all(files.map((name) => compress(join(dir, name))))
    },
  }
}

async function compress(file) {
  const content = await readFile(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await Promise.all([
    promisify(brotliCompress)(content, { params }).then((made) => writeFile(`${file}.br`, made)),
    promisify(gzip)(content).then((made) => writeFile(`${file}.gz`, made)),
  ])
}
