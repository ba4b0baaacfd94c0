// `npm run fill:hashes`: fills in the hashes that package-lock.json lacks, for as many packages as the registry serves.
// npm itself adds a hash only for packages of the system it runs on.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nameOf, packagesOf, unhashedIn } from './rules.mjs'

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../..'))
const lockFile = join(root, 'package-lock.json')
const listFile = join(root, 'local/supply/without-hash.json')
const lock = JSON.parse(readFileSync(lockFile, 'utf8'))

const missing = unhashedIn(lock)
const hashes = new Map(missing.map((id) => [id, hashOf(id)]))
for (const [path, { version, ...rest }] of packagesOf(lock)) {
  const integrity = hashes.get(`${nameOf(path)}@${version}`)
  // npm's own order of keys, so that npm does not rewrite the lines later.
  if (integrity) lock.packages[path] = Object.assign({ version, integrity }, rest, { integrity })
}

const left = unhashedIn(lock)
// Exceptions are removed here and never added: a new package without a hash has to be listed by hand.
const excepted = JSON.parse(readFileSync(listFile, 'utf8')).filter((id) => left.includes(id))
writeJson(lockFile, lock)
writeJson(listFile, excepted)
process.stdout.write(
  `${missing.length - left.length} hashes were filled in. The registry does not serve ${left.length}.\n`,
)

function hashOf(id) {
  const answer = spawnSync('npm', ['view', id, 'dist.integrity'], { encoding: 'utf8', timeout: 60_000 })
  const hash = answer.stdout.trim()
  return answer.status === 0 && /^sha512-[A-Za-z0-9+/]{86}==$/.test(hash) ? hash : null
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
