// docs/security.md names tests and documents that exist, and leaves no item of its checklists without an answer.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const root = join(__dirname, '../..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`((?:test|docs|deploy|local)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  const decisions = [...page.matchAll(/`(decisions\/[\w/-]+\.md)`/g)].map(([, path = '']) => `docs/${path}`)

  expect(named.length).toBeGreaterThan(150)
  expect([...named, ...decisions].filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('every item of a checklist names its evidence or says that it is not covered', () => {
  const items = [...page.matchAll(/^\| (?:API\d+ |\d+\.\d+\.\d+).*\|$/gm)].map(([line]) => line)
  const evidence = (line: string) => line.split(' | ').at(-1) ?? ''

  expect(items.length).toBeGreaterThan(140)
  expect(items.filter((line) => !/`|this page|not covered/.test(evidence(line)))).toEqual([])
})
