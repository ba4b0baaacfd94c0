// The bank: its books and its journal, which only `commit` changes.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from './clock/clock'
import { createFaults, type Faults } from './control/faults'
import type { Delays, Settings } from './settings'
import { applyPut, type Books, createBooks } from './storage/books'
import { encodeEntry, openJournal, readEntries, recoverEntries } from './storage/journal'
import type { Entry, Environment, Put } from './storage/records'

export interface Bank {
  readonly settings: Settings
  readonly clock: Clock
  readonly faults: Faults
  readonly books: Readonly<Record<Environment, Books>>
  /** Base URL of the pages for browsers. */
  pagesUrl: string
  delaysMs: Delays
  /** Changes memory immediately and appends to the journal. The change is durable when `settled` resolves. */
  commit(environment: Environment, what: string, puts: readonly Put[]): void
  settled(): Promise<void>
  nextEventSequence(environment: Environment): number
  /** Calls the listener after every change, but not for changes replayed from the journal at startup. */
  onCommit(listener: (entry: Entry) => void): void
  readJournal(after: number, limit: number): Promise<unknown[]>
  close(): Promise<void>
}

interface BankParts {
  readonly settings: Settings
  readonly clock: Clock
  readonly onFailure: (error: unknown) => void
}

export async function openBank({ settings, clock, onFailure }: BankParts): Promise<Bank> {
  const path = join(settings.dataDir, 'journal.jsonl')
  const books = { sandbox: createBooks(), live: createBooks() }
  const listeners: ((entry: Entry) => void)[] = []
  let seq = 0

  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
  await recoverEntries(path, (entry) => {
    for (const put of entry.puts) applyPut(books[entry.environment], put)
    seq = entry.seq
  })
  const sequences = { sandbox: lastSequence(books.sandbox), live: lastSequence(books.live) }
  const journal = await openJournal({ path, fsync: settings.fsync, onFailure })

  return {
    settings,
    clock,
    faults: createFaults(),
    books,
    pagesUrl: settings.publicUrl ?? '',
    delaysMs: settings.delaysMs,
    commit(environment, what, puts) {
      seq += 1
      const entry: Entry = { seq, at: clock.nowMs(), environment, what, puts }
      journal.append(encodeEntry(entry))
      for (const put of puts) applyPut(books[environment], put)
      for (const listener of listeners) listener(entry)
    },
    settled: () => journal.settled(),
    nextEventSequence: (environment) => ++sequences[environment],
    onCommit: (listener) => void listeners.push(listener),
    async readJournal(after, limit) {
      await journal.settled()
      return readEntries(path, after, limit)
    },
    close: () => journal.close(),
  }
}

function lastSequence(books: Books): number {
  return books.events.latest()?.sequence ?? 0
}
