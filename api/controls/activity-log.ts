// Remembers authenticated calls and key uses in memory and writes them in batches, so that a read costs no write of its own.

import { type ActivityEntry, recordActivity } from '../../db/controls/activity'
import type { Db } from '../../db/database'
import type { ApiKeyUse } from '../../db/partners/api-keys'
import type { Clock } from '../../runtime/clock'
import type { Log } from '../../runtime/log'
import { createKeyUses } from '../partners/keys/uses'

export interface ActivityLog {
  record(entry: ActivityEntry, keyId: string | null): void
  /** For a call whose entry was written with what it changed. */
  noteUse(keyId: string, at: Date): void
  /** Writes all that is remembered; called before a list of activity or keys is read, and at shutdown. */
  flush(): Promise<void>
  close(): Promise<void>
}

const flushEveryMs = 500
const flushAtEntries = 500
/** Of one statement: to write out all that an outage has left would hold every request up. */
const writeAtMostEntries = 1_000
/** What a database outage may make us hold; beyond it the oldest entries are given up and the loss is logged. */
const holdAtMostEntries = 20_000

export function createActivityLog({ db, clock, log }: { db: Db; clock: Clock; log: Log }): ActivityLog {
  const keyUses = createKeyUses({ db, clock })
  const isRepeatedRefusal = createRefusalFilter()
  let entries: ActivityEntry[] = []
  let writing: Promise<unknown> = Promise.resolve()
  const timer = setInterval(flushDue, flushEveryMs)
  timer.unref()

  function flushDue(): void {
    if (entries.length > 0 || keyUses.due().length > 0) enqueue(keyUses.due).catch(logFailure)
  }

  /** One write at a time, each taking all there is, so that order is kept and a slow database is not piled upon. */
  async function enqueue(chooseKeyUses: () => ApiKeyUse[]): Promise<void> {
    const written = writing.then(() => Promise.all([writeEntries(), keyUses.write(chooseKeyUses())]))
    writing = written.catch(() => undefined)
    await written
  }

  /** What comes meanwhile is for the next time, so that who waits for a flush does not wait for ever. */
  async function writeEntries(): Promise<void> {
    for (let due = entries.length; due > 0; due -= writeAtMostEntries) {
      const batch = entries.splice(0, Math.min(due, writeAtMostEntries))
      try {
        await recordActivity(db, batch)
      } catch (error) {
        keepForLater(batch)
        throw error
      }
    }
  }

  function keepForLater(batch: readonly ActivityEntry[]): void {
    const all = [...batch, ...entries]
    const lost = Math.max(0, all.length - holdAtMostEntries)
    entries = all.slice(lost)
    if (lost > 0) log.warn({ lost }, 'activity entries were given up')
  }

  function logFailure(error: unknown): void {
    log.warn({ err: error }, 'activity could not be written yet')
  }

  return {
    record(entry, keyId) {
      if (isRepeatedRefusal(entry)) return
      entries.push(entry)
      if (keyId) keyUses.note(keyId, entry.at)
      if (entries.length % flushAtEntries === 0) enqueue(keyUses.due).catch(logFailure)
    },
    noteUse: (keyId, at) => keyUses.note(keyId, at),
    flush: () => enqueue(keyUses.all),
    async close() {
      clearInterval(timer)
      await enqueue(keyUses.all).catch(logFailure)
    },
  }
}

/** A flood leaves one line a second: its refused calls would push what really happened out of the list. */
function createRefusalFilter(): (entry: ActivityEntry) => boolean {
  const refusedInSecond = new Map<string, number>()
  return ({ status, madeBy, at }) => {
    if (status !== 429) return false
    const second = Math.floor(at.getTime() / 1_000)
    const repeated = refusedInSecond.get(madeBy) === second
    refusedInSecond.set(madeBy, second)
    return repeated
  }
}
