// A part of the system as a separate process, so that it can be killed without warning and restarted.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { keepOutput } from '../kept-logs'
import { childEnv } from './child-env'

export interface Part {
  readonly name: string
  /** Starts the process. Resolves when it reports that it is ready. */
  start(change?: Record<string, string>): Promise<void>
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Sends SIGTERM, which lets the process finish its work. */
  stop(): Promise<void>
  isRunning(): boolean
  /** Moves the clock of the process, which must have been started with clockAhead. */
  moveClock(aheadMs: number): Promise<void>
  /** Returns all output of the process so far, including earlier runs. */
  output(): string
}

export function aPart(main: string, env: Record<string, string>): Part {
  let child: ChildProcess | null = null
  let output = ''

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
    const exited = once(ending, 'exit')
    ending.kill(signal)
    await exited
  }

  return {
    name: main,
    async start(change = {}) {
      if (child !== null) throw new Error(`${main} runs already`)
      const begun = fork(join(__dirname, '../../../dist', main), {
        env: { ...childEnv(), ...env, ...change },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      child = begun
      for (const stream of [begun.stdout, begun.stderr])
        stream?.on('data', (piece: Buffer) => (output += piece.toString()))
      keepOutput(main, [begun.stdout, begun.stderr])
      const ready = await Promise.race([once(begun, 'message'), once(begun, 'exit').then(() => null)])
      if (ready === null) throw new Error(`${main} did not start:\n${output}`)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    isRunning: () => child !== null && child.exitCode === null && child.signalCode === null,
    async moveClock(aheadMs) {
      if (child === null) throw new Error(`${main} does not run`)
      const moved = Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
      child.send({ aheadMs })
      if ((await moved) === null) throw new Error(`${main} ended:\n${output}`)
    },
    output: () => output,
  }
}

/**
 * Starts the parts at the same time. A worker that cannot use its servers would wait forever, so it is killed after a
 * time limit. The error then contains its output, which shows what it waited for.
 */
export async function startAll(parts: readonly Part[], change: Record<string, string>): Promise<void> {
  const start = async (part: Part) => {
    const limit = setTimeout(() => void part.kill(), firstStartMs)
    await part.start(change).finally(() => clearTimeout(limit))
  }
  await Promise.all(parts.map(start))
}

/** Longer than a start on a busy machine takes. */
const firstStartMs = 180_000
