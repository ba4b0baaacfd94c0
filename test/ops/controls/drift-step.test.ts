// Every kind of drift has a sentence on what to do about it, the same in the docs as in proof list.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { driftKinds } from '../../../domain/controls/drift'
import { driftSteps } from '../../../ops/controls/drift-step'

const page = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8')

test.each(driftKinds)('%s', (kind) => {
  expect(driftSteps[kind]).toMatch(/^[A-Z].*: .*\.$/)
  expect(page).toContain(`| \`${kind}\` | ${driftSteps[kind]} |\n`)
})
