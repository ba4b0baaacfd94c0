// The running parts of the system. Restarts a worker or an API that ends unexpectedly, and stops all parts in
// dependency order.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePrivate } from '../files'
import type { Server } from './guarded'
import { identityOf } from './identity'

/** A running part: one of our own processes, or an external server. */
export interface Part extends Pick<Server, 'pid' | 'exited' | 'tail' | 'stop'> {
  readonly name: string
  readonly logFile: string
  /** Restarts the part after it has ended. Null for a part whose end stops the system. */
  readonly restart: (() => Promise<void>) | null
}

export interface Parts {
  /** Called as soon as the process exists. A restarted part replaces the previous one. */
  readonly add: (part: Part) => void
  /**
   * Resolves with the first part that ends unexpectedly and is not restarted, because its `restart` is null or it has
   * ended too often.
   */
  readonly firstEnd: () => Promise<Part>
  readonly stopAll: () => Promise<void>
  readonly killAll: () => void
}

/** A part that needs more restarts within the period is broken, and another restart would only hide that. */
export const restartsMax = 3
const restartPeriodMs = 60_000

const stopOrder = ['API', 'Worker', 'Mail inbox', 'Bank', 'Temporal', 'PostgreSQL']

export function createParts(dataDir: string): Parts {
  const running = new Map<string, Part>()
  const file = join(dataDir, 'parts.json')
  let isStopping = false

  const lastEnd = async (first: Part): Promise<Part> => {
    const restartedMs: number[] = []
    for (;;) {
      const part = running.get(first.name) ?? first
      await part.exited
      if (isStopping) return new Promise(() => {})
      const recent = restartedMs.filter((ms) => performance.now() - ms < restartPeriodMs)
      if (part.restart === null || recent.length >= restartsMax) return part
      restartedMs.push(performance.now())
      // If the restart fails, the part has ended, and the next iteration restarts it again or gives up.
      await part.restart().catch(() => {})
    }
  }

  return {
    add(part) {
      running.set(part.name, part)
      writePrivate(file, [...running.values()].map(savedPart))
    },
    firstEnd: () => Promise.race([...running.values()].map(lastEnd)),
    async stopAll() {
      isStopping = true
      for (const name of stopOrder) await running.get(name)?.stop()
      rmSync(file, { force: true })
    },
    killAll() {
      isStopping = true
      for (const { pid } of running.values()) signalTo(pid, 'SIGKILL')
    },
  }
}

/** Waits for the processes of a killed run to stop, which usually takes moments. Kills those that do not stop. */
export async function clearLeftovers(dataDir: string): Promise<void> {
  const path = join(dataDir, 'parts.json')
  const left: SavedPart[] = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
  const isHere = ({ pid, identity }: SavedPart) => identity !== null && identityOf(pid) === identity
  for (const signal of [null, 'SIGTERM', 'SIGKILL'] as const) {
    const here = left.filter(isHere)
    if (signal !== null) for (const { pid } of here) signalTo(pid, signal)
    const until = performance.now() + stopWithinMs
    while (left.some(isHere) && performance.now() < until) await sleep(50)
  }
}

const stopWithinMs = 6000

interface SavedPart {
  readonly name: string
  readonly pid: number
  readonly identity: string | null
}

function savedPart({ name, pid }: Part): SavedPart {
  return { name, pid, identity: identityOf(pid) }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}
