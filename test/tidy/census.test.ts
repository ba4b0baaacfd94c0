// `npm run census` counts violations correctly, and lists their files.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { root } from '../support/source-imports'

const long = '// One line.\n'.repeat(30)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-census-'))
  execFileSync('git', ['init', '-q', folder])
})
afterEach(() => rmSync(folder, { recursive: true }))

test('folders, root entries, sources and short sources are counted, without tests or hidden files', () => {
  for (let each = 0; each < 16; each += 1) put(`db/table-${each}.ts`, long)
  put('domain/short.ts', '// One line.\n')
  put('test/short.test.ts', '// One line.\n')
  put('README.md', 'Read me.\n')
  put('.hidden', '')

  expect(counts()).toMatchObject({
    'folders over 15 files': 1,
    'visible folders at the root': 3,
    'visible files at the root': 1,
    'source files, tests aside': 17,
    'source files under 25 lines': 1,
  })
  expect(census('--list')).toContain('  db (16)\n')
})

test.each([
  ['at run time', "import { b } from './b'", "export { a } from './a'", [1, 1]],
  ['by types on one side', "import type { B } from './b'", "import { type C, a } from './a'", [0, 1]],
  ['by names that are all types', "import { b } from './b'", "import { type A, type C } from './a'", [0, 1]],
  ['by calls', "const b = await import('./b')", "const a = require('./a')", [1, 1]],
  ['not at all', "import { b } from './b'", "import { c } from './c'", [0, 0]],
])(
  'circular imports are counted correctly for two files that import each other %s',
  (_, a, b, [atRunTime, withTypes]) => {
    put('a.ts', a)
    put('b.ts', b)
    put('c.ts', 'export const c = 1')

    expect(counts()).toMatchObject({
      'circular imports at run time': atRunTime,
      'circular imports with those of types': withTypes,
    })
  },
)

test('references to external documents and "can not" are counted by line, without recorded histories', () => {
  put('a.ts', '// As design §3 says, this\n// can not fail. Can not? See ../shared/spec.md.\n')
  put('docs/guide.md', 'A wallet cannot be empty.\n')
  put('test/histories/one.json', '"can not, §3"\n')

  expect(counts()).toMatchObject({ 'references to documents outside the repository': 2, 'lines with "can not"': 1 })
})

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function counts(): Record<string, number> {
  const rows = census().matchAll(/^(\S.*?) +(\d+) {2}\(at most \d+\)/gm)
  return Object.fromEntries([...rows].map(([, name, count]) => [name, Number(count)]))
}

function census(...options: string[]): string {
  return execFileSync('node', [join(root, 'test/tidy/census.mjs'), folder, ...options], { encoding: 'utf8' })
}
