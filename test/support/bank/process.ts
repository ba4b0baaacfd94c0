// The sandbox bank as a separate process, which a test can kill and which does not share the test's event loop.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePort } from '../../../local/ports'
import { testSystem } from '../jest/system'
import { clientOf, type quick, type TestBank } from './client'
import { spawnBank } from './compiled'

export interface KillableBank extends TestBank {
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Restarts at the same address, with the journal but without the faults. `env` adds to the usual environment. */
  start(env?: Readonly<Record<string, string>>): Promise<void>
  /** Restarts the bank, and sets whether it replays a refusal for a repeated key. The default is 'forgotten'. */
  restartWith(refusals: Refusals): Promise<void>
}

type Refusals = 'forgotten' | 'replayed'

/** `npm test` builds this file before it runs the tests. */
const main = join(__dirname, '../../../dist/sandbox-bank/main.js')

export async function openBankProcess(
  delaysMs: typeof quick,
  env: Readonly<Record<string, string>> = {},
): Promise<KillableBank> {
  const dataDir = mkdtempSync(join(tmpdir(), 'story-bank-'))
  const [port, controlPort] = [await choosePort(0), await choosePort(0)]
  const delays = Object.entries(delaysMs).flatMap(([state, ms]) => [`--${state.replaceAll('_', '-')}-ms`, String(ms)])
  const addresses = ['--port', String(port), '--control-port', String(controlPort)]
  const pace = ['--webhook-retry-ms', '20', '--webhook-retry-max-ms', '50', ...delays]
  const keys = ['--webhook-keys-file', testSystem().webhookKeysPath]
  const args = [...addresses, '--data-dir', dataDir, '--fsync', 'off', ...pace, ...keys]
  let running = await spawnBank(main, args, env)

  async function end(signal: NodeJS.Signals): Promise<void> {
    running.child.kill(signal)
    await running.exited
  }

  return {
    ...clientOf(running.url, `http://127.0.0.1:${controlPort}`),
    dataDir,
    kill: () => end('SIGKILL'),
    async start(extra = {}) {
      running = await spawnBank(main, args, extra)
    },
    async restartWith(refusals) {
      await end('SIGKILL')
      running = await spawnBank(main, [...args, '--refusals', refusals])
    },
    async close() {
      await end('SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
