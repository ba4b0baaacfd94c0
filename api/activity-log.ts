// Remembers authenticated calls and key uses in memory and writes them in batches, so that a read costs no write of its own.
import type { Clock } from '../clock'
import { type ActivityEntry, recordActivity } from '../db/activity'
import { recordApiKeyUse } from '../db/api-keys'
import type { Db } from '../db/database'
import type { Log } from '../log'

export interface ActivityLog {
  record(entry: ActivityEntry, keyId: string | null): void
  /** Writes all that is remembered; called before a list of activity or keys is read, and at shutdown. */
  flush(): Promise<void>
  close(): Promise<void>
}

const flushEveryMs = 500
const flushAtEntries = 500
/** What a database outage may make us hold; beyond it the oldest entries are given up and the loss is logged. */
const holdAtMostEntries = 20_000
/** A key's last use is written at most this often, unless somebody is about to look at it. */
const keyUseEveryMs = 30_000

export function createActivityLog({ db, clock, log }: { db: Db; clock: Clock; log: Log }): ActivityLog {
  let entries: ActivityEntry[] = []
  const keyUses = new Map<string, Date>()
  const keyUsesWrittenAt = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void flushDue().catch(logFailure), flushEveryMs)
  timer.unref()

  function flushDue(): Promise<void> {
    if (entries.length === 0 && dueKeyUses().length === 0) return Promise.resolve()
    return enqueue(dueKeyUses)
  }

  /** One write at a time, each taking all there is, so that order is kept and a slow database is not piled upon. */
  function enqueue(chooseKeyUses: () => KeyUse[]): Promise<void> {
    writing = writing.catch(() => undefined).then(() => write(chooseKeyUses()))
    return writing
  }

  async function write(uses: KeyUse[]): Promise<void> {
    const batch = entries
    entries = []
    for (const use of uses) keyUses.delete(use.keyId)
    try {
      if (batch.length > 0) await recordActivity(db, batch)
      if (uses.length > 0) await recordApiKeyUse(db, uses)
      for (const use of uses) keyUsesWrittenAt.set(use.keyId, use.at.getTime())
    } catch (error) {
      keepForLater(batch)
      throw error
    }
  }

  function keepForLater(batch: ActivityEntry[]): void {
    const all = [...batch, ...entries]
    const lost = Math.max(0, all.length - holdAtMostEntries)
    entries = all.slice(lost)
    if (lost > 0) log.warn({ lost }, 'activity entries were given up')
  }

  function dueKeyUses(): KeyUse[] {
    const now = clock.now().getTime()
    return allKeyUses().filter(({ keyId }) => now - (keyUsesWrittenAt.get(keyId) ?? 0) >= keyUseEveryMs)
  }

  function allKeyUses(): KeyUse[] {
    return [...keyUses].map(([keyId, at]) => ({ keyId, at }))
  }

  function logFailure(error: unknown): void {
    log.warn({ err: error }, 'activity could not be written yet')
  }

  return {
    record(entry, keyId) {
      entries.push(entry)
      if (keyId) keyUses.set(keyId, entry.at)
      if (entries.length >= flushAtEntries && entries.length % flushAtEntries === 0)
        void enqueue(dueKeyUses).catch(logFailure)
    },
    flush: () => enqueue(allKeyUses),
    async close() {
      clearInterval(timer)
      await enqueue(allKeyUses).catch(logFailure)
    },
  }
}

interface KeyUse {
  readonly keyId: string
  readonly at: Date
}
