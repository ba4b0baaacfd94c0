// `npm run -s census` counts violations of the layout rules and shows each limit. `-- --list` also lists the files.
// The optional argument is the folder to count, which the test sets. The default is this repository.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const options = process.argv.slice(2)
const isListing = options.includes('--list')
const folder = options.find((option) => !option.startsWith('--'))
const root = resolve(folder ?? join(dirname(fileURLToPath(import.meta.url)), '../..'))

const files = repositoryFiles()
const code = files.filter((file) => /\.(ts|tsx|mjs|js)$/.test(file))
const sources = code.filter((file) => !file.startsWith('test/'))
const visible = files.filter((file) => !file.startsWith('.'))
const isCode = new Set(code)
const imports = new Map(code.map((file) => [file, importsOf(file)]))

report('folders over 15 files', crowdedFolders(), 0)
report('visible folders at the root', rootFolders(), 18)
report('visible files at the root', rootFiles(), 13)
report('source files, tests aside', sources, 660)
report('source files under 25 lines', sources.filter(isShort), 49)
report(
  'circular imports at run time',
  circles(({ isType }) => !isType),
  0,
)
report(
  'circular imports with those of types',
  circles(() => true),
  0,
)
report('references to documents outside the repository', linesWith(/§|\.\.\/shared\b|\bdesign\.md\b/), 0)
report('lines with "can not"', linesWith(/\bcan not\b/i), 0)
process.stdout.write('Duplicate pairs are counted by another tool, which is not part of this repository.\n')

function report(name, places, limit) {
  const verdict = places.length <= limit ? '' : '  over'
  process.stdout.write(`${name.padEnd(50)}${String(places.length).padStart(5)}  (at most ${limit})${verdict}\n`)
  if (isListing) for (const place of places) process.stdout.write(`  ${place}\n`)
}

/** Tracked and new files. Omits files that were deleted but not yet staged. */
function repositoryFiles() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

function crowdedFolders() {
  const counts = new Map()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts].filter(([name, count]) => name !== '.' && count > 15).map(([name, count]) => `${name} (${count})`)
}

function rootFolders() {
  return [...new Set(visible.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))]
}

function rootFiles() {
  return visible.filter((file) => !file.includes('/'))
}

function isShort(file) {
  return read(file).split('\n').length - 1 < 25
}

/** Skips recorded histories, migrations, the lock file, and this file and its test, which contain the patterns. */
function linesWith(pattern) {
  const isText = (file) => /\.(ts|tsx|mjs|cjs|js|md|css|html|sh|sql|yml|yaml|toml|json)$/.test(file)
  const isData = (file) => /^(test\/histories\/|db\/migrations\/|test\/tidy\/census\.|package-lock\.json$)/.test(file)
  return files
    .filter((file) => isText(file) && !isData(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, index) => ({ line, place: `${file}:${index + 1}` })),
    )
    .filter(({ line }) => pattern.test(line))
    .map(({ line, place }) => `${place} ${line.trim()}`)
}

/** Imports between our own files. A type-only import has `import type`, or `type` before every name. */
function importsOf(file) {
  const text = read(file)
  const statement =
    /^(?:import|export)\s+(type\s+)?(\*(?:\s+as\s+\w+)?|(?:\w+\s*,\s*)?\{[^}]*\}|\w+)\s+from\s+'(\.[^']+)'/gm
  const other = /^import\s+'(\.[^']+)'|\b(typeof\s+)?(?:import|require)\(\s*'(\.[^']+)'\s*\)/gm
  return [
    ...[...text.matchAll(statement)].map(([, type, names, path]) => ({
      path,
      isType: Boolean(type) || areTypes(names),
    })),
    ...[...text.matchAll(other)].map(([, bare, type, called]) => ({ path: bare ?? called, isType: Boolean(type) })),
  ].flatMap(({ path, isType }) => fileAt(join(dirname(file), path)).map((to) => ({ to, isType })))
}

function areTypes(names) {
  return names.startsWith('{') && /^\{\s*(type\s+[^,]+,?\s*)+\}$/.test(names)
}

function fileAt(path) {
  return ['', '.ts', '.tsx', '.mjs', '.js', '/index.ts', '/index.js']
    .map((ending) => normalize(path) + ending)
    .filter((file) => isCode.has(file))
    .slice(0, 1)
}

/** The largest sets of files in which each file reaches all others (Tarjan's strongly connected components). */
function circles(counts) {
  const order = new Map()
  const lowest = new Map()
  const stack = []
  const found = []

  const visit = (file) => {
    order.set(file, order.size)
    lowest.set(file, order.get(file))
    stack.push(file)
    for (const { to } of imports.get(file).filter(counts)) {
      if (!order.has(to)) visit(to)
      if (stack.includes(to)) lowest.set(file, Math.min(lowest.get(file), lowest.get(to)))
    }
    if (lowest.get(file) !== order.get(file)) return
    const members = stack.splice(stack.indexOf(file))
    if (members.length > 1) found.push(`${members.length} files: ${members.join(' ')}`)
  }

  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return found
}
