// The append-only journal. It has one JSON line per change, is flushed to disk in groups, and is read at startup.

import { createReadStream } from 'node:fs'
import { type FileHandle, open, stat, truncate } from 'node:fs/promises'
import type { Entry } from './records'

interface Journal {
  append(line: string): void
  /**
   * Resolves once everything appended so far is on disk, so that no response reports a change that a crash could undo.
   */
  settled(): Promise<void>
  close(): Promise<void>
}

interface JournalOptions {
  readonly path: string
  readonly fsync: 'on' | 'off'
  /** Called after a failed write, when memory and disk differ. The process must then stop. */
  readonly onFailure: (error: unknown) => void
}

export async function openJournal({ path, fsync, onFailure }: JournalOptions): Promise<Journal> {
  const file = await open(path, 'a', 0o600)
  let waiting: string[] = []
  let flushing: Promise<void> | null = null
  let next: Promise<void> | null = null

  async function flush(): Promise<void> {
    const lines = waiting
    waiting = []
    await writeAll(file, Buffer.from(lines.join('')))
    if (fsync === 'on') await file.datasync()
  }

  /** Lines that are appended during a write become the next group. */
  function schedule(): Promise<void> {
    const before = flushing ?? new Promise<void>((resolve) => setImmediate(resolve))
    const group = before
      .then(() => {
        flushing = group
        next = null
        return flush()
      })
      .finally(() => {
        if (flushing === group) flushing = null
      })
    group.catch(onFailure)
    return group
  }

  return {
    append(line) {
      waiting.push(`${line}\n`)
      next ??= schedule()
    },
    settled: () => next ?? flushing ?? Promise.resolve(),
    async close() {
      await (next ?? flushing)
      await file.close()
    },
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, from)
    from += bytesWritten
  }
}

/** Marks an amount, so that amounts are read back as bigint and text from a client is not. */
interface EncodedBigint {
  readonly $bigint: string
}

export function encodeEntry(entry: Entry): string {
  return JSON.stringify(entry, (_key, value: unknown) =>
    typeof value === 'bigint' ? ({ $bigint: value.toString() } satisfies EncodedBigint) : value,
  )
}

/** Reads all entries in order. Truncates an incomplete last line. Any other damage is an error. */
export async function recoverEntries(path: string, onEntry: (entry: Entry) => void): Promise<void> {
  let wholeBytes = 0
  for await (const { line, end } of readLines(path)) {
    onEntry(decodeEntry(line, end))
    wholeBytes = end
  }
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > wholeBytes) await truncate(path, wholeBytes)
}

/** The entries after a sequence number, with their amounts still encoded, for tests. */
export async function readEntries(path: string, after: number, limit: number): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const { line } of readLines(path)) {
    const entry: unknown = JSON.parse(line)
    if (isEntry(entry) && entry.seq > after) found.push(entry)
    if (found.length >= limit) break
  }
  return found
}

async function* readLines(path: string): AsyncGenerator<{ line: string; end: number }> {
  let rest: Buffer = Buffer.alloc(0)
  let start = 0
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (!exists) return
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      const end = start + at + 1
      yield { line: bytes.toString('utf8', from, at), end }
      from = at + 1
    }
    rest = bytes.subarray(from)
    start += from
  }
}

function decodeEntry(line: string, end: number): Entry {
  const entry = parseLine(line)
  if (!isEntry(entry)) throw new Error(`The journal is damaged before byte ${end}.`)
  return entry
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line, (_key, value: unknown) => (isEncodedBigint(value) ? BigInt(value.$bigint) : value))
  } catch {
    return null
  }
}

/** Checks only for damage, because the bank itself wrote the line. */
function isEntry(value: unknown): value is Entry {
  const known = typeof value === 'object' && value !== null && 'seq' in value && 'puts' in value
  return known && typeof value.seq === 'number' && Array.isArray(value.puts)
}

function isEncodedBigint(value: unknown): value is EncodedBigint {
  return typeof value === 'object' && value !== null && '$bigint' in value && typeof value.$bigint === 'string'
}
