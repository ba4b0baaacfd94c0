// The parts that are running: watched for one that ends by itself, and stopped in the order in which they need each other.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePrivate } from '../private-file'
import { identityOf } from './identity'
import type { Part } from './part'

export interface Parts {
  readonly add: (part: Part) => void
  /** The first part that ends although nobody asked it to. */
  readonly firstEnd: Promise<Part>
  readonly stopAll: () => Promise<void>
  readonly killAll: () => void
}

const stopOrder = ['API', 'Worker', 'Temporal', 'PostgreSQL']

export function createParts(dataDir: string): Parts {
  const running: Part[] = []
  let stopping = false
  let tellFirstEnd: (part: Part) => void
  const firstEnd = new Promise<Part>((resolve) => {
    tellFirstEnd = resolve
  })
  return {
    firstEnd,
    add(part) {
      running.push(part)
      remember(dataDir, running)
      void part.exited.then(() => stopping || tellFirstEnd(part))
    },
    async stopAll() {
      stopping = true
      const rank = ({ name }: Part) => stopOrder.indexOf(name)
      for (const part of running.toSorted((one, other) => rank(one) - rank(other))) await part.stop()
      rmSync(join(dataDir, 'parts.json'), { force: true })
    },
    killAll() {
      for (const { pid } of running) signalTo(pid, 'SIGKILL')
    },
  }
}

/** Waits for what a killed run left behind to stop by itself, as it does within moments, and ends what does not. */
export async function clearLeftovers(dataDir: string): Promise<void> {
  const path = join(dataDir, 'parts.json')
  const left: Remembered[] = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
  const isHere = ({ pid, identity }: Remembered) => identity !== null && identityOf(pid) === identity
  for (const signal of [null, 'SIGTERM', 'SIGKILL'] as const) {
    const here = left.filter(isHere)
    if (signal !== null) for (const { pid } of here) signalTo(pid, signal)
    const until = performance.now() + 6000
    while (left.some(isHere) && performance.now() < until) await sleep(50)
  }
}

interface Remembered {
  readonly name: string
  readonly pid: number
  readonly identity: string | null
}

function remember(dataDir: string, running: readonly Part[]): void {
  const list: Remembered[] = running.map(({ name, pid }) => ({ name, pid, identity: identityOf(pid) }))
  writePrivate(join(dataDir, 'parts.json'), list)
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has gone in the meantime.
  }
}
