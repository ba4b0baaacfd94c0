// Every kind of drift has its runbook step in docs/operations/books.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { driftKinds } from '../../../domain/controls/drift'
import { driftSteps } from '../../../ops/controls/proof'

const page = readFileSync(join(__dirname, '../../../docs/operations/books.md'), 'utf8')

test.each(driftKinds)('the drift %s has a runbook step', (kind) => {
  expect(page).toContain(`| \`${kind}\` | ${driftSteps[kind]} |\n`)
})
