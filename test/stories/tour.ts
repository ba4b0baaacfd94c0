// Runs every command of README.md and docs/tour.md against a system that was started as described there.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { projectDir } from '../../local/files'

interface Running {
  readonly dataDir: string
  readonly port: string
}

export function tour(system: () => Running): void {
  test('every command works, and each response is the one shown', async () => {
    const pages = ['docs/tour.md', 'README.md'].map((page) => readFileSync(join(projectDir(), page), 'utf8')).join('\n')
    const [, ...blocks] = pages.split(/^```sh\n/m)
    const commands = blocks.map((block) => /(.*?)^```$/ms.exec(block)?.[1] ?? '')
    const shown = blocks.map((block) => /^```json\n(.*?)^```$/ms.exec(block)?.[1])

    expect(shown.filter((text) => text !== undefined)).toHaveLength(pages.match(/^```json$/gm)?.length ?? 0)

    const printed = await run(commands, system())

    const answered = printed.filter((_, index) => shown[index] !== undefined).map((text) => JSON.parse(text))
    expect(answered.length).toBeGreaterThanOrEqual(3)
    expect(answered).toEqual(shown.flatMap((text) => (text === undefined ? [] : [JSON.parse(text)])))
  })
}

/** Runs all blocks in one shell, as a reader does. Returns the output of each block. */
async function run(blocks: readonly string[], { dataDir, port }: Running): Promise<string[]> {
  const script = blocks.join("printf '\\036'\n")
  const here = script
    .replaceAll('http://localhost:3000', `http://localhost:${port}`)
    .replaceAll('./.data/', `${dataDir}/`)
  const { stdout } = await promisify(execFile)('sh', ['-ec', here], {
    cwd: projectDir(),
    env: { ...process.env, DATA_DIR: dataDir },
    // An endless loop in the tour must not outlive the test.
    timeout: 240_000,
  })
  return stdout.split('\u001e')
}
