// Stores all logs of our processes during a test run, and searches them for forbidden data at the end.
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { projectDir } from '../../local/files'
import { isAlive } from '../../local/process/identity'
import type { LogLevel } from '../../runtime/config/config'
import { createLog, type Log } from '../../runtime/log'
import { testSystem } from './jest/system'
import { searchLogs } from './personal'

/** Receives the log lines at this level and above, for a test that reads them. */
export interface Listener {
  readonly level: LogLevel
  write(line: string): void
}

/** A log for code in the test's own process. All levels are stored, even if the listener receives only some. */
export function keptLog(listener?: Listener): Log {
  const file = newFile('in-process')
  const write = (line: string) => {
    appendFileSync(file, line)
    if (listener !== undefined && levels.indexOf(JSON.parse(line).level) >= levels.indexOf(listener.level)) {
      listener.write(line)
    }
  }
  return createLog({ level: 'debug', name: 'test' }, { write })
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Stores the output of a process. Other listeners still receive it. */
export function keepOutput(name: string, streams: readonly (Readable | null)[]): void {
  for (const stream of streams) {
    const file = newFile(name)
    stream?.on('data', (piece: Buffer) => appendFileSync(file, piece))
  }
}

/** Copies the log files of a separate system. */
export function keepFiles(folder: string, names: readonly string[]): void {
  for (const name of names.flatMap((each) => [each, `${each}.previous`])) {
    if (existsSync(join(folder, name))) copyFileSync(join(folder, name), newFile(name))
  }
}

/** Called by the setup. Creates an empty folder for this run, and removes the folders of earlier runs. */
export function openLogsFolder(): string {
  const all = join(projectDir(), '.cache/test-logs')
  const folder = join(all, String(process.pid))
  mkdirSync(all, { recursive: true })
  for (const run of readdirSync(all)) {
    if (!isAlive(Number(run)) || Number(run) === process.pid) rmSync(join(all, run), { recursive: true, force: true })
  }
  mkdirSync(folder)
  return folder
}

/** Called by the teardown. Throws, and so fails the run, if a log contains anything personal or secret. */
export async function requireNothingPersonal(folder: string): Promise<void> {
  const { files, lines, findings } = await searchLogs(folder)
  if (findings.length === 0) {
    process.stderr.write(`Logs of this run: ${lines} lines in ${files} files, nothing personal or secret in them.\n`)
    return
  }
  const report = findings.map(({ file, line, what, around }) => `  ${what} in ${file}:${line}: ${around}`)
  throw new Error(`The logs in ${folder} contain forbidden data:\n${report.join('\n')}`)
}

let made = 0

function newFile(name: string): string {
  made += 1
  return join(testSystem().logsFolder, `${process.pid}-${made}-${basename(name)}.log`)
}
