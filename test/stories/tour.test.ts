// Runs every command of README.md and docs/tour.md against a system that was started as described there.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { choosePort } from '../../local/ports'

const root = join(__dirname, '../..')
const pages = ['docs/tour.md', 'README.md'].map((page) => readFileSync(join(root, page), 'utf8')).join('\n')
const dataDir = mkdtempSync(join(tmpdir(), 'payouts-readme-'))
// PostgreSQL does not run as root, and must still reach its data.
chmodSync(dataDir, 0o755)
let port: number
let stop: () => Promise<void>

beforeAll(async () => {
  port = await choosePort(0)
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port) }
  const started = spawn(process.execPath, [join(root, 'dist/local/start.js')], { env, stdio: 'ignore' })
  stop = async () => {
    started.kill('SIGINT')
    if (started.exitCode === null) await once(started, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  }
  while (!existsSync(join(dataDir, 'local.json'))) {
    if (started.exitCode !== null) throw new Error('npm start did not start.')
    await wait(100)
  }
})
afterAll(() => stop())

test('every command works, and each response is the one shown', async () => {
  const blocks = [...pages.matchAll(/^```(sh|json)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language,
    text: text ?? '',
  }))
  let printed = ''
  let exported = ''
  const answered: unknown[] = []

  for (const { language, text } of blocks) {
    if (language === 'json') answered.push(JSON.parse(printed))
    else printed = await run(exported + text)
    exported += text.match(/^export .*\n/gm)?.join('') ?? ''
  }

  expect(answered.length).toBeGreaterThanOrEqual(3)
  expect(answered).toEqual(blocks.filter(({ language }) => language === 'json').map(({ text }) => JSON.parse(text)))
})

async function run(commands: string): Promise<string> {
  const here = commands
    .replaceAll('http://localhost:3000', `http://localhost:${port}`)
    .replaceAll('./.data/', `${dataDir}/`)
  const { stdout } = await promisify(execFile)('sh', ['-ec', here], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
  })
  return stdout
}
