// Rules for our dependencies. Each rule returns a message for every package that breaks it.

/** Maximum number of production packages, direct and in total. Raise a number deliberately to add more. */
const budget = { direct: 16, all: 251 }

/** `withoutHash` lists the packages, as `name@version`, that may be locked without a hash. The list may only shrink. */
export function mistakesIn({ manifest, lock, installed, withoutHash }) {
  return [
    ...versionsThatMove(manifest),
    ...outOfStep(manifest, lock),
    ...lockedWithoutHash(lock, withoutHash),
    ...hashedAfterAll(lock, withoutHash),
    ...installedUnverified(lock, installed),
    ...fromElsewhere(lock),
    ...unreviewedScripts(manifest, lock),
    ...overBudget(manifest, lock),
  ]
}

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']

function versionsThatMove(manifest) {
  const declared = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}))
  return declared
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
    .map(([name, version]) => `${name} is declared as ${version}: name one exact version.`)
}

function outOfStep(manifest, lock) {
  const root = lock.packages?.[''] ?? {}
  return kinds
    .filter((kind) => sorted(manifest[kind]) !== sorted(root[kind]))
    .map((kind) => `The ${kind} of package.json and package-lock.json differ: run npm install.`)
}

/** npm does not verify a package without a hash. */
function lockedWithoutHash(lock, withoutHash) {
  return unhashedIn(lock)
    .filter((id) => !withoutHash.includes(id))
    .map((id) => `${id} has no SHA-512 in package-lock.json: run npm run fill:hashes.`)
}

function hashedAfterAll(lock, withoutHash) {
  const unhashed = new Set(unhashedIn(lock))
  return withoutHash
    .filter((id) => !unhashed.has(id))
    .map((id) => `${id} is in without-hash.json and needs no exception: run npm run fill:hashes.`)
}

/** Exceptions apply to packages of other platforms only, not to installed ones. */
function installedUnverified(lock, installed) {
  return Object.entries(installed.packages ?? {}).flatMap(([path, { integrity, inBundle, link }]) => {
    const locked = lock.packages?.[path]
    if (link || inBundle) return []
    if (locked === undefined) return [`${path} is installed and not in package-lock.json: run npm ci.`]
    if (!isHashed(locked))
      return [`${path} is installed without a SHA-512 in package-lock.json: run npm run fill:hashes.`]
    return locked.integrity === integrity ? [] : [`${path} is not what package-lock.json names: run npm ci.`]
  })
}

/** The packages that are locked without a hash, as `name@version`. */
export function unhashedIn(lock) {
  return packagesOf(lock)
    .filter(([, locked]) => !locked.link && !locked.inBundle && !isHashed(locked))
    .map(([path, { version }]) => `${nameOf(path)}@${version}`)
    .toSorted()
}

function isHashed({ integrity }) {
  return integrity?.startsWith('sha512-') ?? false
}

/** Our lock file has no URLs for packages of the registry (.npmrc), so a package with a URL comes from elsewhere. */
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
    ...(direct > budget.direct ? [`${direct} dependencies of production, and the budget is ${budget.direct}.`] : []),
    ...(all > budget.all ? [`${all} packages in production, and the budget is ${budget.all}.`] : []),
  ]
}

/** Printed if there is no mistake. */
export function summaryOf(lock) {
  const all = packagesOf(lock).length
  return `${all} packages, ${productionOf(lock).length} of them in production (at most ${budget.all}), and the installed packages match the lock file.`
}

/** All production packages by path, without those for some platforms only. */
export function productionOf(lock) {
  return packagesOf(lock).filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional)
}

export function packagesOf(lock) {
  return Object.entries(lock.packages ?? {}).filter(([path]) => path !== '')
}

export function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function sorted(declared = {}) {
  return JSON.stringify(Object.entries(declared).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
