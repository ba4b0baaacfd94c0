// Runs a foreign program so that it never outlives us: whatever ends this process, a pipe closes and a small shell stops the program.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { lastBytes, openLog, tailOf } from './log-file'

export interface ServerCommand {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly stopSignal: 'INT' | 'TERM'
  readonly logFile: string
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly env?: NodeJS.ProcessEnv
}

export interface Server {
  readonly pid: number
  /** Settles when the server is gone, however it went: its exit status, or null when it was killed. */
  readonly exited: Promise<number | null>
  readonly hasExited: () => boolean
  /** What it has said so far, to search in; what it said last, to show. */
  readonly output: () => string
  readonly tail: () => string
  readonly stop: (limitMs?: number) => Promise<void>
}

// The shell waits for two things at once: for the server's end, which ends the shell, and for the end of the pipe that is its
// input, which asks the server to stop and ends it for good when it does not listen. Input is moved to descriptor 3 because a
// shell gives its background commands /dev/null as input; output only tells the server's pid, all else goes to the log.
const guardScript = `
signal=$1; shift
exec 3<&0 </dev/null
"$@" >&2 3<&- &
server=$!
echo "$server"
exec >&2
(
  read -r _ <&3
  kill -s "$signal" "$server"
  seconds=0
  while kill -0 "$server"; do
    [ "$seconds" -eq 20 ] && exec kill -s KILL "$server"
    sleep 1
    seconds=$((seconds + 1))
  done
) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`

export async function startGuarded(server: ServerCommand): Promise<Server> {
  const guard = spawnGuard(server)
  const exited = new Promise<number | null>((resolve) => guard.once('close', resolve))
  const pid = await pidOf(guard, server.name)

  return {
    pid,
    exited,
    hasExited: () => guard.exitCode !== null || guard.signalCode !== null,
    output: () => lastBytes(server.logFile, 65_536),
    tail: () => tailOf(server.logFile),
    stop: (limitMs = 10_000) => stop(guard, exited, pid, limitMs),
  }
}

/** In a process group of its own, so that Ctrl-C in a terminal does not reach it before those who use it have stopped. */
function spawnGuard({ command, args, stopSignal, logFile, user, env }: ServerCommand): ChildProcess {
  const log = openLog(logFile)
  try {
    return spawn('/bin/sh', ['-c', guardScript, 'guard', stopSignal, command, ...args], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', log],
      ...user,
      ...(env ? { env } : {}),
    })
  } finally {
    closeSync(log)
  }
}

function pidOf(guard: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    guard.stdout?.once('data', (line: Buffer) => resolve(Number(line.toString())))
    guard.once('error', reject)
    guard.once('close', () => reject(new Error(`${name} could not be started.`)))
  })
}

async function stop(guard: ChildProcess, exited: Promise<unknown>, pid: number, limitMs: number): Promise<void> {
  guard.stdin?.destroy()
  const timer = setTimeout(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has gone in the meantime.
    }
  }, limitMs)
  await exited
  clearTimeout(timer)
}
