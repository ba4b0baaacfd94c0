// Runs ops commands in this process with a separate database, and captures their output.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Db } from '../../db/database'
import { run } from '../../ops/run'
import { createDatabase, openDb } from './db/database'
import { opened, openedForEach } from './opened'
import { childEnv } from './system/child-env'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface OpsTerminal {
  readonly env: { readonly DATABASE_URL: string; readonly SECRET_KEYS: string }
  readonly db: Db
  ops(...argv: string[]): Promise<Ran>
  /** Runs a command with --json and returns the value that it prints. Throws if the command fails. */
  json<Value>(...argv: string[]): Promise<Value>
  close(): Promise<void>
}

/** A terminal for this test file. */
export function useTerminal(): OpsTerminal {
  return opened(openTerminal, (terminal) => terminal.close())
}

/** Creates a partner for each test with an ops command. */
export function useOpsPartner(terminal: OpsTerminal): { readonly id: string; readonly slug: string } {
  let partners = 0
  return openedForEach(async () => {
    partners += 1
    const slug = `acme-${partners}`
    const argv = ['partner', 'create', '--name', 'Acme Ltd', '--slug', slug, '--email', 'ada@acme.test']
    const { id } = await terminal.json<{ id: string }>(...argv)
    return { id, slug }
  })
}

export async function openTerminal(): Promise<OpsTerminal> {
  const database = await createDatabase()
  const env = { DATABASE_URL: database.url, SECRET_KEYS: `test:${'5e'.repeat(32)}` }
  const db = await openDb(database.url, 2)
  const ops = (...argv: string[]) => runWith(env, argv)
  return {
    env,
    db,
    ops,
    json: async (...argv) => {
      const { code, out, err } = await ops(...argv, '--json')
      if (code !== 0 || err !== '') throw new Error(`ops ${argv.join(' ')} exited with ${code}: ${err}`)
      return JSON.parse(out)
    },
    close: async () => {
      await db.close()
      await database.drop()
    },
  }
}

export async function runWith(env: Readonly<Record<string, string>>, argv: readonly string[]): Promise<Ran> {
  const printed = { out: '', err: '' }
  const code = await run(argv, {
    env,
    stdout: { write: (text) => (printed.out += text) },
    stderr: { write: (text) => (printed.err += text) },
  })
  return { code, ...printed }
}

/** Matches a single line that ends with a full stop. */
export const oneSentence = /^\S[^\n]*\.\n$/

/** Splits a command line into words. Double quotes group words, as in a shell. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

/**
 * Runs a command in this process, because starting a new process takes longer than most commands. A command of a
 * story that moves the clock needs its own process.
 */
export async function opsAt(ahead: Record<string, string>, env: Record<string, string>, args: string[]): Promise<Ran> {
  if (Object.keys(ahead).length === 0) return runWith(env, args)
  const main = join(__dirname, '../../dist/ops/main.js')
  const ofOps = { ...childEnv(), ...env, ...ahead }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...args], { env: ofOps })
  return { code: 0, out: stdout, err: stderr }
}
