// The append-only journal: one JSON line per change, flushed to disk in groups.
import { type FileHandle, open } from 'node:fs/promises'

interface Journal {
  append(line: string): void
  /** Resolves once everything appended so far is on disk, so that no response reports a change that a crash could undo. */
  settled(): Promise<void>
  close(): Promise<void>
}

interface JournalOptions {
  readonly path: string
  readonly fsync: 'on' | 'off'
  /** Called when memory and disk differ. The process must then stop. */
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

  /** Lines appended while one group is written form the next group. */
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
