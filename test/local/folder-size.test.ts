// The size of a folder that another process fills and clears.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { folderSize } from '../../local/temporal/download'

const folder = mkdtempSync(join(tmpdir(), 'payouts-size-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the size includes all files in the folder, but not the targets of links', () => {
  mkdirSync(join(folder, 'pip', 'wheel'), { recursive: true })
  writeFileSync(join(folder, 'a'), 'four')
  writeFileSync(join(folder, 'pip', 'wheel', 'b'), 'seven77')
  symlinkSync('/nowhere', join(folder, 'gone'))

  expect(folderSize(folder)).toBe(11)
})

test('a missing folder has size zero', () => {
  expect(folderSize(join(folder, 'taken-away'))).toBe(0)
})
