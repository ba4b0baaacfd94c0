// Runs every command in README.md and docs/tour.md against a system that was started as described there.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { projectDir } from '../../local/files'
import { childEnv } from '../support/system/child-env'

interface Running {
  readonly dataDir: string
  readonly port: string
}

export function tour(system: () => Running): void {
  test('every command works, and each response matches the documentation', async () => {
    const { dataDir, port } = system()
    // The tour runs unchanged, with another port and folder. Only README.md shows the default ones.
    const readme = pageOf('README.md')
      .replaceAll('http://localhost:3000', `http://localhost:${port}`)
      .replaceAll('./.data/', `${dataDir}/`)
    const pages = [pageOf('docs/tour.md'), readme].join('\n')
    const [, ...blocks] = pages.split(/^```sh\n/m)
    const commands = blocks.map((block) => /(.*?)^```$/ms.exec(block)?.[1] ?? '')
    const shown = blocks.map((block) => /^```json\n(.*?)^```$/ms.exec(block)?.[1])

    expect(shown.filter((text) => text !== undefined)).toHaveLength(pages.match(/^```json$/gm)?.length ?? 0)

    const printed = await run(commands, dataDir)

    const answered = printed.filter((_, index) => shown[index] !== undefined).map((text) => JSON.parse(text))
    expect(answered.length).toBeGreaterThanOrEqual(3)
    expect(answered).toEqual(shown.flatMap((text) => (text === undefined ? [] : [JSON.parse(text)])))
  })
}

const pageOf = (page: string) => readFileSync(join(projectDir(), page), 'utf8')

/** Runs all blocks in one shell, as a reader would. Returns the output of each block. */
async function run(blocks: readonly string[], dataDir: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', blocks.join("printf '\\036'\n")], {
    cwd: projectDir(),
    env: { ...process.env, ...childEnv(), DATA_DIR: dataDir },
    // An endless loop in the tour must not outlive the test.
    timeout: 600_000,
  })
  return stdout.split('\u001e')
}
