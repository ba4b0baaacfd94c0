// The built `payouts` program: its name and version, what it loads, and its progress on a terminal.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { newApiKeySecret } from '../../db/partners/api-key-secret'
import { projectDir } from '../../local/files'
import { choosePort } from '../../local/ports'
import { openPseudoTerminal } from '../support/pseudo-terminal'
import { childEnv } from '../support/system/child-env'

const main = join(projectDir(), 'dist/ops/main.js')
const { version, bin } = JSON.parse(readFileSync(join(projectDir(), 'package.json'), 'utf8'))
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-binary-'))
  symlinkSync(main, join(folder, 'payouts'))
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('the payouts program', () => {
  test('is the file that package.json names, and is executable', () => {
    expect(bin).toEqual({ payouts: 'dist/ops/main.js' })
    // A strict umask leaves only the owner's bit.
    expect(statSync(main).mode & 0o100).toBe(0o100)
  })

  test('runs with npx in a built clone, without the network', () => {
    const env = { ...process.env, npm_config_offline: 'true', npm_config_cache: join(folder, 'npm') }

    const { status, stdout } = spawnSync('npx', ['payouts', '--version'], { cwd: projectDir(), env, encoding: 'utf8' })

    expect({ status, stdout }).toEqual({ status: 0, stdout: `${version}\n` })
  })

  test('shows its version as text or as JSON', () => {
    expect(payouts(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' })
    expect(JSON.parse(payouts(['--version', '--json']).stdout)).toEqual({ version })
  })

  test('has its own name in the help, and the name of the script in `npm run ops`', () => {
    const script = spawnSync('npm', ['run', '-s', 'ops', '--', 'key', '--help'], {
      cwd: projectDir(),
      encoding: 'utf8',
    })

    expect(payouts(['key', '--help']).stdout).toContain('Usage: payouts key <command>')
    expect(script.stdout).toContain('Usage: npm run -s ops -- key <command>')
  })

  test('documents its exit codes in the help', () => {
    expect(payouts(['--help']).stdout).toMatch(/^Exit codes:\n {2}0 .+\n {2}1 .+\n {2}2 .+\n {2}130 .+$/m)
  })

  test.each([['--version'], ['balance'], ['list']])('loads no package for %s', (word) => {
    const env = { PAYOUTS_KEY: newApiKeySecret('sandbox'), PAYOUTS_URL: 'http://127.0.0.1:1' }

    expect(packagesLoadedBy([word], env)).toEqual([])
  })

  test.each(['invoices list', 'partner list', 'worker list'])(
    'loads no package for Temporal or the API for %s',
    (words) => {
      const loaded = packagesLoadedBy(words.split(' '), { DATABASE_URL: 'postgres://me@127.0.0.1:1/x' })

      const typeorm = join(projectDir(), 'dist/node_modules/typeorm/index.js')
      expect(loaded.filter((file) => file.includes('/node_modules/typeorm/'))).toEqual([typeorm])
      expect(loaded.filter((file) => /\/node_modules\/(@temporalio|@grpc|@?koa|typebox)\//.test(file))).toEqual([])
    },
  )
})

describe('progress', () => {
  let server: Server
  let env: Record<string, string>
  let sockets: Socket[] = []

  // Accepts connections and never answers, like a database behind a broken network.
  beforeEach(async () => {
    server = createServer((socket) => void sockets.push(socket.on('error', () => {})))
    const port = await choosePort(0)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    env = { DATABASE_URL: `postgres://me@127.0.0.1:${port}/x` }
  })

  afterEach(() => {
    disconnect()
    server.close()
  })

  test('appears on a terminal after a second, and disappears before the answer', async () => {
    const terminal = openPseudoTerminal([process.execPath, main, 'partner', 'list'], env)

    await terminal.shows('Running `partner list`, 1 s')
    await terminal.shows('Running `partner list`, 2 s')
    disconnect()

    expect(await terminal.exited).toBe(1)
    expect(terminal.screen()).toMatch(/ s\r\S{4}The database does not answer: [^\n]+\.\r\n$/)
  })

  test.each([
    ['with --json', ['partner', 'list', '--json'], ''],
    ['in a pipe', ['partner', 'list'], ' | cat'],
    ['if standard error is a file', ['partner', 'list'], ' 2>&1 >/dev/null | cat'],
  ])('does not appear %s', async (_, args, end) => {
    const terminal = openPseudoTerminal(
      ['sh', '-c', `${process.execPath} ${main} ${args.join(' ')}${end}; echo "(end)"`],
      env,
    )

    await afterTwoSeconds()
    disconnect()
    await terminal.shows('(end)')

    expect(terminal.screen()).toContain('The database does not answer')
    expect(terminal.screen()).not.toContain('Running')
  })

  /** Resolves two seconds after the command has connected. */
  async function afterTwoSeconds(): Promise<void> {
    await new Promise<void>((resolve) => server.once('connection', () => void setTimeout(resolve, 2_000)))
  }

  function disconnect(): void {
    for (const socket of sockets) socket.destroy()
    sockets = []
  }
})

function payouts(args: readonly string[], env: Record<string, string> = {}): SpawnSyncReturns<string> {
  const ofProgram = { ...childEnv(), ...env }
  return spawnSync(join(folder, 'payouts'), args, { env: ofProgram, encoding: 'utf8' })
}

/** The npm packages whose files the command has loaded when it ends. */
function packagesLoadedBy(args: readonly string[], env: Record<string, string> = {}): string[] {
  const [hook, list] = [join(folder, 'hook.cjs'), join(folder, 'loaded.json')]
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))))`,
  )
  payouts(args, { ...env, NODE_OPTIONS: `--require ${hook}` })
  const files: string[] = JSON.parse(readFileSync(list, 'utf8'))
  expect(files).toContain(main)
  return files.filter((file) => file.includes('/node_modules/'))
}
