// `npm run check:supply`: checks our dependencies without a network. Tests pass another folder.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mistakesIn, summaryOf } from './rules.mjs'

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../..'))

function read(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8'))
  } catch {
    process.stderr.write(`${path} cannot be read: run npm ci.\n`)
    process.exit(1)
  }
}

const manifest = read('package.json')
const lock = read('package-lock.json')
const installed = read('node_modules/.package-lock.json')
const withoutHash = read('local/supply/without-hash.json')
const mistakes = mistakesIn({ manifest, lock, installed, withoutHash })
for (const mistake of mistakes) process.stderr.write(`${mistake}\n`)
if (mistakes.length === 0) process.stdout.write(`${summaryOf(lock)}\n`)
process.exitCode = mistakes.length > 0 ? 1 : 0
