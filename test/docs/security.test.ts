// docs/security.md has an answer for every item in its checklists. paths.test.ts checks the files that the page names.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const page = readFileSync(join(__dirname, '../../docs/security.md'), 'utf8')

test('every checklist item names its evidence or states that it is not covered', () => {
  const items = [...page.matchAll(/^\| (?:API\d+ |\d+\.\d+\.\d+).*\|$/gm)].map(([line]) => line)
  const evidence = (line: string) => line.split(' | ').at(-1) ?? ''

  expect(items.length).toBeGreaterThan(140)
  expect(items.filter((line) => !/`|this page|not covered/.test(evidence(line)))).toEqual([])
})
