// `npm run -s sbom`: lists the production packages as CycloneDX, from the lock file. (`npm sbom --omit dev` omits every package
// that a development tool also uses, such as the Temporal SDK.)
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nameOf, productionOf } from './rules.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const { name, version } = read('package.json')

const all = productionOf(read('package-lock.json')).map(([path, locked]) => componentOf(nameOf(path), locked))
const components = [...new Map(all.map((component) => [component.purl, component])).values()]
const metadata = { component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version } }
process.stdout.write(
  `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata, components }, null, 2)}\n`,
)

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

/** One licence by its SPDX id, several as an expression. */
function licenseOf(license) {
  return /[ ()]/.test(license) ? { expression: license } : { license: { id: license } }
}

function hexOf(integrity) {
  return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
}
