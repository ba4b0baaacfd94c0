// Build step that copies the document fonts into dist, so that production does not need the sources.
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const from = join(here, 'fonts')
const to = join(here, '../../dist/mail/documents/fonts')

await mkdir(to, { recursive: true })
await Promise.all((await readdir(from)).map((name) => copyFile(join(from, name), join(to, name))))
