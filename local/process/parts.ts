// The parts that are running: watched for one that ends by itself, and stopped in the order in which they need each other.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePrivate } from '../private-file'
import { identityOf } from './identity'
import type { Part } from './part'

export interface Parts {
  /** From the moment it has a process; one that was started again takes the place of the one before it. */
  readonly add: (part: Part) => void
  /** The first part that ends although nobody asked it to. */
  readonly firstEnd: () => Promise<Part>
  readonly stopAll: () => Promise<void>
  readonly killAll: () => void
}

const stopOrder = ['API', 'Worker', 'Mail inbox', 'Bank', 'Temporal', 'PostgreSQL']

export function createParts(dataDir: string): Parts {
  const running = new Map<string, Part>()
  const file = join(dataDir, 'parts.json')
  return {
    add(part) {
      running.set(part.name, part)
      writePrivate(file, [...running.values()].map(remembered))
    },
    firstEnd: () => Promise.race([...running.values()].map((part) => part.exited.then(() => part))),
    async stopAll() {
      for (const name of stopOrder) await running.get(name)?.stop()
      rmSync(file, { force: true })
    },
    killAll() {
      for (const { pid } of running.values()) signalTo(pid, 'SIGKILL')
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
    const until = performance.now() + leaveWithinMs
    while (left.some(isHere) && performance.now() < until) await sleep(50)
  }
}

const leaveWithinMs = 6000

interface Remembered {
  readonly name: string
  readonly pid: number
  readonly identity: string | null
}

function remembered({ name, pid }: Part): Remembered {
  return { name, pid, identity: identityOf(pid) }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has gone in the meantime.
  }
}
