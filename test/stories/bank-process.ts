// The sandbox bank as a process of its own: what a story does to the rest of the system must not slow the witness down.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePort } from '../../local/ports'
import { clientOf, quick, type TestBank } from '../sandbox-bank/bank-client'
import { spawnBank } from '../sandbox-bank/compiled-bank'

/** The build that `npm test` makes before it runs. */
const main = join(__dirname, '../../dist/sandbox-bank/main.js')

export async function openBankProcess(delaysMs: typeof quick): Promise<TestBank> {
  const dataDir = mkdtempSync(join(tmpdir(), 'story-bank-'))
  const controlPort = await choosePort(0)
  const delays = Object.entries(delaysMs).flatMap(([state, ms]) => [`--${state.replaceAll('_', '-')}-ms`, String(ms)])
  const places = ['--port', '0', '--control-port', String(controlPort), '--data-dir', dataDir, '--fsync', 'off']
  const pace = ['--webhook-retry-ms', '20', '--webhook-retry-max-ms', '50', ...delays]
  const { child, url, exited } = await spawnBank(main, [...places, ...pace])
  return {
    ...clientOf(url, `http://127.0.0.1:${controlPort}`),
    dataDir,
    async close() {
      child.kill('SIGTERM')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
