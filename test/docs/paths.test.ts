// Every path that README, CONTRIBUTING and the other pages name exists.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { read, repositoryFiles, root } from '../support/source-imports'

const files = repositoryFiles()
const pages = files.filter((file) => /^([A-Z]+|docs\/.+)\.md$/.test(file))
const folders = new Set(files.flatMap(foldersOf))

test('every file and folder that a page names exists', () => {
  const named = pages.flatMap((page) => pathsIn(read(page)).map((path) => ({ page, path })))

  expect(named.length).toBeGreaterThan(250)
  expect(named.filter(({ page, path }) => !isThere(page, path))).toEqual([])
})

test('every link from one page to another leads to an existing file', () => {
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s#:{]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => ({ page, to })),
  )

  expect(links.filter(({ page, to }) => !existsSync(join(root, dirname(page), to)))).toEqual([])
})

test('every link to a heading leads to an existing heading', () => {
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s#:{]*)#([^)]+)\)/g)].map(([, to = '', heading = '']) => ({ page, to, heading })),
  )
  const headings = (page: string) => [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchorOf(text))

  expect(links.length).toBeGreaterThan(50)
  expect(
    links.filter(({ page, to, heading }) => {
      const target = to === '' ? page : join(dirname(page), to)
      return target.endsWith('.md') && !headings(target).includes(heading)
    }),
  ).toEqual([])
})

test.each([
  ['see `db/wallets/ledger.ts`', ['db/wallets/ledger.ts']],
  ['in `api/<noun>/` and `api/<noun>/read.ts`', ['api/']],
  [
    '`operations.md`, `GET /v1/payouts`, `prom-client`, `decisions/api/one.md`',
    ['operations.md', 'decisions/api/one.md'],
  ],
  ['```sh\ncat `db/not-there.ts`\n```\n', []],
])('pathsIn finds the paths in %j', (text, paths) => {
  expect(pathsIn(text)).toEqual(paths)
})

/**
 * Finds paths in backticks, recognised by one of our file extensions or folder names. Only the part before a
 * placeholder is checked.
 */
function pathsIn(text: string): string[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, '')
  const quoted = [...prose.matchAll(/`([\w.@-]+(?:\/[\w.@-]*)*)(<[^`]*)?`/g)].map(([, path = '']) => path)
  const isPath = (path: string) =>
    /\.(md|tsx?|mjs|js|json|sql|ya?ml|sh|conf)$/.test(path) || (path.includes('/') && isFolder(path.split('/')[0]))
  const isMade = (path: string) => /^(\.data|\.cache|dist)\//.test(path)
  return [...new Set(quoted.filter((path) => isPath(path) && !isMade(path)))]
}

/** The anchor that GitHub generates. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function isFolder(name = ''): boolean {
  return folders.has(name)
}

/**
 * Whether the path exists, relative to the root, the page's folder or docs/. A path that does not start with one of
 * our top-level folders may also be the end of a longer path.
 */
function isThere(page: string, path: string): boolean {
  const bare = path.replace(/\/$/, '')
  if ([bare, join(dirname(page), bare), join('docs', bare)].some((at) => existsSync(join(root, at)))) return true
  const isFromRoot = path.includes('/') && isFolder(path.split('/')[0])
  return !isFromRoot && [...files, ...folders].some((at) => at.endsWith(`/${bare}`))
}

function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
