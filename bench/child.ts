// A program of ours as a child of the benchmark: it says when it is ready, and ends with its parent.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type EnvironmentVariables, environment } from '../runtime/config/config'
import { dist } from './system'

interface Child {
  stop(): Promise<void>
}

export async function startChild(main: string, env: EnvironmentVariables): Promise<Child> {
  const child = fork(dist(main), { env: { ...environment(), ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ready = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
  if (ready === null) throw new Error(`${main} did not start.`)
  return {
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
