// Archives old partitions: writes each to a file, verifies the file, and only then drops the partition.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import {
  digestOfLines,
  dropPartition,
  findArchive,
  findForged,
  isOwner,
  isRange,
  linesOf,
  listArchives,
  listPartitions,
  listProvenArchives,
  type Need,
  type Partition,
  partitionedTables,
  type Range,
  StillNeeded,
  type WrittenFile,
} from '../../db/controls/archives'
import type { Db } from '../../db/database'
import { errorCode } from '../../local/files'
import { type Command, defineCommand, done, foundProblem, refused } from '../command'
import type { Ops } from '../connect'
import { day, type Kind, oneOf, required } from '../options'
import { table } from '../print'

const path: Kind<string> = { placeholder: '<path>', rule: 'a path', offers: 'files', parse: (text) => text }

/** Payouts can come back for 90 days, and reports look back one year. */
const keptDays = 400

const list = defineCommand('archive list', {
  about: 'Lists the partitions of the growing tables, and the archives of those that were dropped.',
  async run({ db }) {
    const partitions = (await listPartitions(db)).map((each) => ({
      table: each.table,
      from_id: each.fromId?.toString() ?? null,
      before_id: each.beforeId?.toString() ?? null,
      state: stateOf(each),
      bytes: String(each.bytes),
      rows: null,
      sha256: null,
    }))
    const archives = (await listArchives(db)).map((each) => ({
      table: each.tableName,
      from_id: String(each.fromId),
      before_id: String(each.beforeId),
      state: 'archived',
      bytes: null,
      rows: String(each.rowCount),
      sha256: each.sha256.toString('hex'),
    }))
    const data = [...archives, ...partitions]
    const header = ['TABLE', 'FROM ID', 'BEFORE ID', 'STATE', 'BYTES', 'ROWS', 'SHA-256']
    const rows = data.map((each) => Object.values(each).map((value) => value ?? '-'))
    return done({ object: 'list', data }, table(header, rows))
  },
})

function stateOf({ fromId, isFull }: Partition): 'default' | 'full' | 'open' {
  if (fromId === null) return 'default'
  return isFull ? 'full' : 'open'
}

const write = defineCommand('archive write', {
  about:
    'Writes the old partitions of a table to files, verifies the files, and drops the partitions. Needs the role that owns the database. Can be repeated after an interruption.',
  options: {
    table: required(oneOf(partitionedTables), 'The table.'),
    before: required(day, `Archives only rows from before this day, which is at least ${keptDays} days ago.`),
    to: required(path, 'The folder for the files.'),
  },
  example: ['--table', 'payout_events', '--before', '2025-01-01', '--to', 'archives'],
  async run(ops, given) {
    const before = new Date(`${given.before}T00:00:00.000Z`)
    if (before.getTime() > ops.clock.now().getTime() - keptDays * 86_400_000) {
      return refused('invalid_request', `--before must be at least ${keptDays} days ago.`)
    }
    if (!(await isOwner(ops.db))) {
      return refused('unauthorized', 'Set DATABASE_URL to the role that owns the database and migrates it.')
    }
    const partitions = (await listPartitions(ops.db)).filter(isRange).filter((each) => each.table === given.table)
    const archived: Archived[] = []
    let stopped = 'no partition is full'
    for (const partition of partitions) {
      if (!partition.isFull) break
      const outcome = await archiveOne(ops, partition, { before, folder: given.to })
      if ('stopped' in outcome) {
        stopped = `${partition.name}: ${outcome.stopped}`
        break
      }
      ops.say(`${partition.name} is in ${outcome.file}.`)
      archived.push(outcome)
      stopped = 'the next partition still gets rows'
    }
    if (archived.length === 0) return refused('invalid_state', `Nothing was archived: ${stopped}.`)
    const rows = archived.map(({ file, rows: count, sha256 }) => [file, count, sha256])
    return done(
      { object: 'list', data: archived, stopped },
      `${table(['FILE', 'ROWS', 'SHA-256'], rows)}\nStopped: ${stopped}.`,
    )
  },
})

interface Archived {
  readonly table: string
  readonly from_id: string
  readonly before_id: string
  readonly rows: string
  readonly file: string
  readonly sha256: string
}

interface Target {
  readonly before: Date
  readonly folder: string
}

async function archiveOne(
  { db, clock, madeBy }: Pick<Ops, 'db' | 'clock' | 'madeBy'>,
  partition: Range,
  { before, folder }: Target,
): Promise<Archived | { readonly stopped: string }> {
  const { table: tableName, fromId, beforeId } = partition
  const file = join(folder, `${tableName}-${fromId}-${beforeId}.ndjson.gz`)
  try {
    const written = await writeFile(db, partition, { before, file })
    if (written === 'other_file') return { stopped: `${file} has other content, so move it away` }
    const outcome = await dropPartition(db, partition, { before, file: written, at: clock.now(), by: madeBy })
    if (outcome === 'differs') return { stopped: `${file} does not match the table, so delete it and repeat` }
    const about = { table: tableName, from_id: String(fromId), before_id: String(beforeId) }
    return { ...about, rows: String(written.rows), file, sha256: written.sha256.toString('hex') }
  } catch (error) {
    const code = errorCode(error)
    if (code !== null && fileErrors.test(code)) return { stopped: `${file} cannot be written (${code})` }
    if (!(error instanceof StillNeeded)) throw error
    return { stopped: `row ${error.needed.rowId} ${sentenceOf[error.needed.need]}` }
  }
}

const fileErrors = /^E(NOENT|NOTDIR|ACCES|PERM|ROFS|NOSPC|DQUOT|IO)$/

const sentenceOf: Readonly<Record<Need, string>> = {
  too_young: 'is too young',
  payout_open: 'belongs to a payout that was not closed before that day, or that needs attention',
  not_pruned: 'is about a read or a refused request, which `pruneActivity` has not deleted yet',
  not_sealed: 'is not in the audit chain',
  not_as_sealed: 'was changed after it was sealed: run `audit verify`',
  row_missing: 'is in the audit chain and not in the table: run `audit verify`',
}

/**
 * Writes a partition's rows, one JSON object per line, and reads the file back. Never overwrites a file: an earlier run
 * may have been interrupted after it wrote this one, or the file may be the archive of another database.
 */
export async function writeFile(
  db: Db,
  partition: Range,
  { before, file }: { readonly before: Date; readonly file: string },
): Promise<WrittenFile | 'other_file'> {
  const part = `${file}.part`
  const lines = digestOfLines()
  const source = async function* () {
    for await (const batch of linesOf(db, partition, before)) {
      for (const { line } of batch) lines.add(line)
      yield batch.map(({ line }) => `${line}\n`).join('')
    }
  }
  try {
    await pipeline(Readable.from(source()), createGzip(), createWriteStream(part, { mode: 0o600 }))
    await flush(part)
    await link(part, file).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  } finally {
    await rm(part, { force: true })
  }
  await flush(join(file, '..'))
  const wanted = lines.end()
  const read = await readFile(file).catch(() => null)
  return read?.digest === wanted.digest && read.rows === wanted.rows ? read : 'other_file'
}

/** Waits until the disk has the file or the folder. */
async function flush(name: string): Promise<void> {
  const handle = await open(name, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Reads a whole file. Calls `each` with its lines, in batches. */
async function readFile(file: string, each?: (lines: readonly string[]) => Promise<void>): Promise<WrittenFile> {
  const bytes = createHash('sha256')
  const hashing = new Transform({
    transform(chunk, _encoding, next) {
      bytes.update(chunk)
      next(null, chunk)
    },
  })
  const lines = digestOfLines()
  const read = async (source: AsyncIterable<Buffer>) => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of source) {
      // Splits by hand, because Node's line reader also splits at separators that JSON text may contain.
      const complete = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
      rest = complete.pop() ?? ''
      for (const line of complete) lines.add(line)
      await each?.(complete)
    }
    if (rest !== '') lines.add(rest)
  }
  await pipeline(createReadStream(file), hashing, createGunzip(), read)
  return { ...lines.end(), sha256: bytes.digest() }
}

const verify = defineCommand('archive verify', {
  about:
    'Compares the file of an archive with its record and, for activity, each row with the audit chain; exits with 1 on a difference.',
  options: { file: required(path, 'The file.') },
  example: ['--file', 'archives/activity-0-200000000.ndjson.gz'],
  async run({ db }, { file }) {
    const read = await readFile(file).catch((error: unknown) => errorCode(error) ?? 'not gzip')
    if (typeof read === 'string') return refused('invalid_request', `${file} cannot be read (${read}).`)
    const { sha256, rows } = read
    const record = await findArchive(db, sha256)
    const known = { file, sha256: sha256.toString('hex'), rows: String(rows), table: record?.tableName ?? null }
    if (record === null) return foundProblem(known, `No archive has the SHA-256 of ${file}: ${known.sha256}.`)
    if (record.rowCount !== rows) return foundProblem(known, `The record of ${file} has ${record.rowCount} rows.`)
    let problem: string | null = null
    if (record.tableName === 'activity') {
      const isProven = (await db.transaction(listProvenArchives)).includes(record.id)
      if (!isProven)
        problem = 'The audit chain has other rows in the range of this archive, or the table still has the range.'
      await readFile(file, async (lines) => {
        const forged = problem === null ? await findForged(db, lines) : null
        if (forged !== null) problem = `Row ${forged.rowId} ${sentenceOf[forged.need]}.`
      })
    }
    return problem === null
      ? done(known, `The file is the archive of ${rows} rows of ${record.tableName}.`)
      : foundProblem(known, problem)
  },
})

export const commands: readonly Command[] = [list, write, verify]
