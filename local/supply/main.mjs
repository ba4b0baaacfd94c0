// Checks and lists dependencies: `npm run check:supply`, `npm run fill:hashes` and `npm run sbom`. Contains only
// checks that npm lacks.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Maximum number of production packages, direct and in total. Raise a number deliberately to add more. */
const budget = { direct: 16, all: 251 }

// Tests pass another folder.
const [command, folder] = process.argv.slice(2)
const root = resolve(folder ?? join(dirname(fileURLToPath(import.meta.url)), '../..'))
const lockFile = 'package-lock.json'
const exceptionsFile = 'local/supply/without-hash.json'

/** Works offline. */
function check() {
  const [manifest, lock] = [read('package.json'), read(lockFile)]
  const [installed, withoutHash] = [read('node_modules/.package-lock.json'), read(exceptionsFile)]
  const mistakes = mistakesIn({ manifest, lock, installed, withoutHash })
  for (const mistake of mistakes) process.stderr.write(`${mistake}\n`)
  if (mistakes.length === 0) process.stdout.write(`${summaryOf(lock)}\n`)
  process.exitCode = mistakes.length > 0 ? 1 : 0
}

/**
 * Fills in the hashes that package-lock.json lacks, for as many packages as the registry serves. npm itself adds a hash
 * only for packages that fit the system it runs on.
 */
function fillHashes() {
  const lock = read(lockFile)
  const missing = unhashedIn(lock)
  const hashes = new Map(missing.map((id) => [id, hashOf(id)]))
  for (const [path, { version, ...rest }] of packagesOf(lock)) {
    const integrity = hashes.get(`${nameOf(path)}@${version}`)
    // Uses npm's own key order, so that npm does not rewrite the lines later.
    if (integrity) lock.packages[path] = Object.assign({ version, integrity }, rest, { integrity })
  }
  const left = unhashedIn(lock)
  write(lockFile, lock)
  // Exceptions are removed here and never added: a new package without a hash must be listed manually.
  write(
    exceptionsFile,
    read(exceptionsFile).filter((id) => left.includes(id)),
  )
  process.stdout.write(
    `${missing.length - left.length} hashes were filled in. The registry does not serve ${left.length}.\n`,
  )
}

/**
 * Lists the production packages as CycloneDX, from the lock file. `npm sbom --omit dev` omits every package that a
 * development tool also uses, such as the Temporal SDK.
 */
function sbom() {
  const { name, version } = read('package.json')
  const all = productionOf(read(lockFile)).map(([path, locked]) => componentOf(nameOf(path), locked))
  const components = [...new Map(all.map((component) => [component.purl, component])).values()]
  const metadata = { component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version } }
  const document = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata, components }
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
}

/** `withoutHash` lists the packages, as `name@version`, that may be locked without a hash. The list may only shrink. */
function mistakesIn({ manifest, lock, installed, withoutHash }) {
  return [
    ...inexactVersions(manifest),
    ...outOfStep(manifest, lock),
    ...lockedWithoutHash(lock, withoutHash),
    ...unneededExceptions(lock, withoutHash),
    ...installedUnverified(lock, installed),
    ...fromElsewhere(lock),
    ...unreviewedScripts(manifest, lock),
    ...overBudget(manifest, lock),
  ]
}

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']

function inexactVersions(manifest) {
  const declared = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}))
  return declared
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
    .map(([name, version]) => `${name} is declared as ${version}: declare one exact version.`)
}

function outOfStep(manifest, lock) {
  const root = lock.packages?.[''] ?? {}
  return kinds
    .filter((kind) => sorted(manifest[kind]) !== sorted(root[kind]))
    .map((kind) => `The ${kind} of package.json and package-lock.json differ: run \`npm install\`.`)
}

/** npm does not verify a package without a hash. */
function lockedWithoutHash(lock, withoutHash) {
  return unhashedIn(lock)
    .filter((id) => !withoutHash.includes(id))
    .map((id) => `${id} has no SHA-512 in package-lock.json: run \`npm run fill:hashes\`.`)
}

function unneededExceptions(lock, withoutHash) {
  const unhashed = new Set(unhashedIn(lock))
  return withoutHash
    .filter((id) => !unhashed.has(id))
    .map((id) => `${id} is in without-hash.json but needs no exception: run \`npm run fill:hashes\`.`)
}

/** Exceptions apply to packages for other platforms only, not to installed ones. */
function installedUnverified(lock, installed) {
  return Object.entries(installed.packages ?? {}).flatMap(([path, { integrity, inBundle, link }]) => {
    const locked = lock.packages?.[path]
    if (link || inBundle) return []
    if (locked === undefined) return [`${path} is installed but not in package-lock.json: run \`npm ci\`.`]
    if (!isHashed(locked))
      return [`${path} is installed without a SHA-512 in package-lock.json: run \`npm run fill:hashes\`.`]
    return locked.integrity === integrity ? [] : [`${path} differs from package-lock.json: run \`npm ci\`.`]
  })
}

/** The packages that are locked without a hash, as `name@version`. */
function unhashedIn(lock) {
  return packagesOf(lock)
    .filter(([, locked]) => !locked.link && !locked.inBundle && !isHashed(locked))
    .map(([path, { version }]) => `${nameOf(path)}@${version}`)
    .toSorted()
}

function isHashed({ integrity }) {
  return integrity?.startsWith('sha512-') ?? false
}

/** Our lock file has no URLs for packages from the registry (.npmrc), so a package with a URL comes from elsewhere. */
function fromElsewhere(lock) {
  return packagesOf(lock)
    .filter(([, { resolved, link }]) => resolved !== undefined || link)
    .map(([path]) => `${path} does not come from the registry.`)
}

function unreviewedScripts(manifest, lock) {
  const reviewed = manifest.allowScripts ?? {}
  return packagesOf(lock)
    .filter(([path, { hasInstallScript }]) => hasInstallScript && !(nameOf(path) in reviewed))
    .map(([path]) => `${path} has an install script: set it to true or false in allowScripts.`)
}

function overBudget(manifest, lock) {
  const direct = Object.keys(manifest.dependencies ?? {}).length
  const all = productionOf(lock).length
  return [
    ...(direct > budget.direct ? [`${direct} production dependencies exceed the budget of ${budget.direct}.`] : []),
    ...(all > budget.all ? [`${all} production packages exceed the budget of ${budget.all}.`] : []),
  ]
}

function summaryOf(lock) {
  const all = packagesOf(lock).length
  return `${all} packages, ${productionOf(lock).length} of them in production (at most ${budget.all}), and the installed packages match the lock file.`
}

/** All production packages by path, except optional ones, which only some platforms install. */
function productionOf(lock) {
  return packagesOf(lock).filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional)
}

function packagesOf(lock) {
  return Object.entries(lock.packages ?? {}).filter(([path]) => path !== '')
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function sorted(declared = {}) {
  return JSON.stringify(Object.entries(declared).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function hashOf(id) {
  const answer = spawnSync('npm', ['view', id, 'dist.integrity'], { encoding: 'utf8', timeout: 60_000 })
  const hash = answer.stdout.trim()
  return answer.status === 0 && /^sha512-[A-Za-z0-9+/]{86}==$/.test(hash) ? hash : null
}

function componentOf(packageName, { version: packageVersion, integrity, license }) {
  const purl = `pkg:npm/${packageName.replace('@', '%40')}@${packageVersion}`
  return {
    type: 'library',
    'bom-ref': purl,
    name: packageName,
    version: packageVersion,
    purl,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    hashes: integrity === undefined ? [] : [{ alg: 'SHA-512', content: hexOf(integrity) }],
  }
}

/** Writes one licence as its SPDX ID, and several as an expression. */
function licenseOf(license) {
  return /[ ()]/.test(license) ? { expression: license } : { license: { id: license } }
}

function hexOf(integrity) {
  return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
}

function read(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8'))
  } catch {
    process.stderr.write(`${path} cannot be read: run \`npm ci\`.\n`)
    process.exit(1)
  }
}

function write(path, value) {
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`)
}

const commands = { check, 'fill-hashes': fillHashes, sbom }
commands[command]()
