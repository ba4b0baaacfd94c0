// Collects authenticated calls and key uses in memory and writes them in batches, so that reads need no database write.
import { type ActivityEntry, recordActivity } from '../../db/controls/activity'
import type { Db } from '../../db/database'
import { type ApiKeyUse, recordApiKeyUse } from '../../db/partners/api-keys'
import type { Clock } from '../../runtime/clock'
import type { Log } from '../../runtime/log'

export interface ActivityLog {
  record(entry: ActivityEntry, keyId: string | null): void
  /** Records only the use of the key, for a call that wrote its entry in the same transaction as its change. */
  noteUse(keyId: string, at: Date): void
  /** Writes all collected entries. Called before activity or keys are listed, and at shutdown. */
  flush(): Promise<void>
  close(): Promise<void>
}

const flushEveryMs = 500
const flushAtEntries = 500
/** Maximum entries per statement. Writing an outage's whole backlog at once would delay every request. */
const writeAtMostEntries = 1_000
/** Maximum entries in memory during a database outage. Beyond this, the oldest are dropped and the loss is logged. */
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

  /** Runs one write at a time, to preserve the order and to avoid overloading a slow database. */
  async function enqueue(chooseKeyUses: () => ApiKeyUse[]): Promise<void> {
    const written = writing.then(() => writeBoth(chooseKeyUses()))
    writing = written.catch(() => undefined)
    await written
  }

  /** Waits for both writes even if one fails. Otherwise `close` could return before the entries are written. */
  async function writeBoth(uses: ApiKeyUse[]): Promise<void> {
    const results = await Promise.allSettled([writeEntries(), keyUses.write(uses)])
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** Entries that arrive during a flush wait for the next one, so that a flush always ends. */
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
    if (lost > 0) log.warn({ lost }, 'dropped activity entries')
  }

  function logFailure(error: unknown): void {
    log.warn({ err: error }, 'cannot write activity entries; will retry')
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

/**
 * Calls beyond the rate limit add only one entry per caller and second, so that other entries stay visible in the list.
 */
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

interface KeyUses {
  note(keyId: string, at: Date): void
  /** The uses that are due to be written. */
  readonly due: () => ApiKeyUse[]
  readonly all: () => ApiKeyUse[]
  write(uses: readonly ApiKeyUse[]): Promise<void>
}

const writeEveryMs = 30_000

/** Collects the last use of each API key in memory and writes them in batches, so that a request needs no database write. */
function createKeyUses({ db, clock }: { db: Db; clock: Clock }): KeyUses {
  const uses = new Map<string, Date>()
  const writtenAt = new Map<string, number>()
  const all = () => [...uses].map(([keyId, at]) => ({ keyId, at }))

  return {
    note: (keyId, at) => void uses.set(keyId, at),
    due: () => all().filter(({ keyId }) => clock.now().getTime() - (writtenAt.get(keyId) ?? 0) >= writeEveryMs),
    all,
    async write(taken) {
      if (taken.length === 0) return
      for (const { keyId } of taken) uses.delete(keyId)
      const putBack = ({ keyId, at }: ApiKeyUse) => uses.set(keyId, uses.get(keyId) ?? at)
      const skipped = await recordApiKeyUse(db, taken).catch((error: unknown) => {
        taken.forEach(putBack)
        throw error
      })
      for (const use of taken) {
        if (skipped.includes(use.keyId)) putBack(use)
        else writtenAt.set(use.keyId, use.at.getTime())
      }
    },
  }
}
