// Builds the package into dist/: ES modules (.mjs) and CommonJS (.cjs), each with its own type declarations.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const dist = join(root, 'dist')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
compile('esnext', 'm')
compile('commonjs', 'c')
copyFileSync(join(root, '../../LICENSE'), join(dist, 'LICENSE'))

/** The letter selects the module system: index.js becomes index.mjs or index.cjs, and index.d.ts index.d.mts or .cts. */
function compile(module, letter) {
  const out = mkdtempSync(join(tmpdir(), 'payouts-sdk-'))
  try {
    execFileSync(process.execPath, [tsc, '-p', root, '--module', module, '--outDir', out], { stdio: 'inherit' })
    for (const file of readdirSync(out)) {
      const text = readFileSync(join(out, file), 'utf8')
      // Node and TypeScript find a relative import in an ES module only by its full name.
      const named = text.replaceAll(/(from |require\()(["'])(\.\/[\w-]+)\2/g, `$1$2$3.${letter}js$2`)
      writeFileSync(join(dist, file.replace(/([tj]s)$/, `${letter}$1`)), named)
    }
  } finally {
    rmSync(out, { recursive: true })
  }
}
