// Runs ops in this process with its own database, and captures its output.
import type { Db } from '../../db/database'
import { run } from '../../ops/run'
import { createDatabase, openDb } from './db/database'
import { opened, openedForEach } from './opened'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface OpsTerminal {
  readonly env: { readonly DATABASE_URL: string; readonly SECRET_KEYS: string }
  readonly db: Db
  ops(...argv: string[]): Promise<Ran>
  /** The single JSON value that a command prints with --json; any other outcome fails the test. */
  json<Value>(...argv: string[]): Promise<Value>
  close(): Promise<void>
}

/** A terminal for this test file. */
export function useTerminal(): OpsTerminal {
  return opened(openTerminal, (terminal) => terminal.close())
}

/** A new partner for each test, created by command. */
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

/** One sentence: a single line that ends with a full stop. */
export const oneSentence = /^\S[^\n]*\.\n$/

/** The words of a command line, as a shell splits them. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}
