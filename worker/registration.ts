// A worker's row in the list of workers: heartbeat, state, and whether an operator has requested a drain.
import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { insertWorker, type OwnState, recordHeartbeat, type WorkerProcess } from '../db/controls/workers'
import type { Db } from '../db/database'
import type { Clock } from '../runtime/clock'
import { untilAvailable, type WaitOptions } from './until-available'

export interface Registration {
  readonly id: string
  readonly askedToDrain: AbortSignal
  /** Stored immediately if the database is available, otherwise with the next heartbeat. */
  become(state: OwnState): Promise<void>
  /** Stores the final state. Never rejects. */
  end(): Promise<void>
}

interface RegistrationParts {
  readonly db: Db
  readonly clock: Clock
  readonly log: WaitOptions['log']
  readonly version: string
  readonly taskQueues: readonly string[]
  readonly onState?: (state: OwnState) => void
}

/** Heartbeat interval. A worker notices a drain request at its next heartbeat. */
const heartbeatEveryMs = 2_000

export async function register({ db, clock, log, onState, ...about }: RegistrationParts): Promise<Registration> {
  const worker = await enter(db, { ...about, host: hostname(), pid: process.pid, startedAt: clock.now() })
  const asked = new AbortController()
  const over = new AbortController()
  let state: OwnState = 'working'
  onState?.(state)

  const beat = async () => {
    if (await recordHeartbeat(db, worker, state)) asked.abort()
  }
  async function keepBeating(): Promise<void> {
    for (;;) {
      await wait(heartbeatEveryMs, null, { signal: over.signal })
      await untilAvailable('The list of workers', beat, { log, signal: over.signal })
    }
  }
  const beating = keepBeating().catch(ignore)

  async function become(next: OwnState): Promise<void> {
    state = next
    onState?.(state)
    await beat().catch(ignore)
  }
  return {
    id: worker.id,
    askedToDrain: asked.signal,
    become,
    async end() {
      over.abort()
      await beating
      await become('ended')
    },
  }
}

async function enter(db: Db, about: Omit<WorkerProcess, 'id'>): Promise<WorkerProcess> {
  for (;;) {
    const worker = { ...about, id: newWorkerId() }
    if (await insertWorker(db, worker)) return worker
  }
}

/** Omits letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz'
const lettersAndDigits = `${letters}23456789`

/** Starts with a letter, because six digits in a log would look like a confirmation code or a sort code. */
export function newWorkerId(): string {
  const rest = Array.from({ length: 5 }, () => oneOf(lettersAndDigits))
  return oneOf(letters) + rest.join('')
}

function oneOf(characters: string): string {
  return characters.charAt(randomInt(characters.length))
}

/** Errors are ignored: the next heartbeat stores the state again. */
function ignore(): void {}
