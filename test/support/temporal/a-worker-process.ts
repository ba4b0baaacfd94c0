// `npm run worker` as a child process, with its output and exit code.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { keepOutput } from '../kept-logs'
import { childEnv } from '../system/child-env'

export interface WorkerProcess {
  readonly child: ChildProcess
  readonly ready: Promise<unknown>
  /** Resolves with the exit code, or null if a signal ended the process. */
  readonly ended: Promise<number | null>
  /** The log messages so far. */
  readonly messages: string[]
  /** The lines on standard error, which are meant for operators. */
  readonly errorOutput: string[]
  /** Resolves when the log has a message that matches. */
  logs(pattern: RegExp): Promise<void>
}

/** `npm test` builds this file before it runs the tests. */
const main = join(__dirname, '../../../dist/worker/main.js')

export function startWorkerProcess(env: Record<string, string>): WorkerProcess {
  const child = fork(main, { env: { ...childEnv(), ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const messages: string[] = []
  const errorOutput: string[] = []
  if (!child.stdout || !child.stderr) throw new Error('The pipes of the child are missing.')
  keepOutput('worker', [child.stdout, child.stderr])
  const lines = createInterface(child.stdout).on('line', (line) => messages.push(JSON.parse(line).msg))
  const complaints = createInterface(child.stderr).on('line', (line) => errorOutput.push(line))
  // Does not use the child's own 'close' event, which is never emitted once the parent has disconnected.
  const ends = [once(child, 'exit'), once(lines, 'close'), once(complaints, 'close')] as const
  return {
    child,
    ready: once(child, 'message').then(([message]) => message),
    ended: Promise.all(ends).then(([[code]]) => code),
    messages,
    errorOutput,
    logs: async (pattern) => {
      while (!messages.some((message) => pattern.test(message))) await once(lines, 'line')
    },
  }
}

/** Returns the number of pollers in the worker's metrics, summed as in the PayoutsWorkerGone alert. */
export function pollersIn(text: string): number {
  const samples = [...text.matchAll(/^temporal_num_pollers\{.*\} (\d+)$/gm)]
  return samples.reduce((sum, [, value]) => sum + Number(value), 0)
}
