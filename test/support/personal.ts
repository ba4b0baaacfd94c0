// Finds forbidden data in a log: the names, addresses, account numbers, codes, keys and passwords that the tests use.
import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Finding {
  readonly file: string
  readonly line: number
  readonly what: string
  /** The text around the finding, without the finding itself. */
  readonly around: string
}

export interface LogSearch {
  readonly files: number
  readonly lines: number
  /** At most the first `most` findings. */
  readonly findings: readonly Finding[]
}

/**
 * Matches digits only as a separate number. Digits within an ID, a time, a port or a JSON number mean something else.
 * So do the digits in the SDK's identity, `123456@host`, which are a process ID.
 */
const alone = (digits: number) => new RegExp(`(?<![\\w.:/-])\\d{${digits}}(?![\\w.:@-])`)

const rules: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a name', /\b(Ada|Lovelace|Grace|Hopper)\b/],
  ['an address', /St James Square|SW1Y ?4JH/i],
  ['an account number', alone(8)],
  ['a code or a sort code', alone(6)],
  ['a code or a sort code', /code"?[:=] ?"?\d{6}(?!\d)/],
  ['an account number', /account_?number"?[:=] ?"?\d{4}/i],
  // In the details of a Temporal error, an @ precedes a type name, so it does not indicate an email.
  ['an email', /[\w.+-]+@(?!type\.googleapis\.com\b)[\w-]+(\.[\w-]+)*\.[a-z]{2,}\b/i],
  ['an API key', /kp_(sandbox|live)_[0-9a-f]{9,}/],
  ["a bank's key", /sk-(test|live)-[\w-]+/],
  // The head of the audit chain is not secret. It is logged so that a copy exists outside the database. The SDK's
  // build ID is not secret either.
  ['a secret key', /(?<![0-9a-f]|"audit_head":"|@temporalio\/worker@[\d.]+\+)[0-9a-f]{64}(?![0-9a-f])/],
  ['a session', /__Host-session=[\w-]+/],
  ['a bearer token', /Bearer \w+/],
  ['a password', /\w+:\/\/[^\s"/:@]*:[^\s"/@]+@/],
]

/** Returns the first finding in a line, or null. */
export function personalIn(line: string): { readonly what: string; readonly around: string } | null {
  for (const [what, pattern] of rules) {
    const match = pattern.exec(line)
    if (match) return { what, around: around(line, match) }
  }
  return null
}

export async function searchLogs(folder: string, most = 20): Promise<LogSearch> {
  const findings: Finding[] = []
  const files = readdirSync(folder)
  let lines = 0
  for (const file of files) {
    let number = 0
    for await (const line of createInterface(createReadStream(join(folder, file)))) {
      number += 1
      const found = findings.length < most ? personalIn(line) : null
      if (found) findings.push({ file, line: number, ...found })
    }
    lines += number
  }
  return { files: files.length, lines, findings }
}

/** Text in which a short secret can occur by chance: UUIDs, hashes, nanoseconds, and numbers of Temporal's events. */
const random = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|\.\d{9}Z|"(nanos|low|taskId)": ?"?-?\d+/gi

export function withoutRandom(text: string): string {
  return text.replaceAll(random, '')
}

function around(line: string, { index, 0: match }: RegExpExecArray): string {
  return `${line.slice(Math.max(0, index - 80), index)}█${line.slice(index + match.length, index + match.length + 40)}`
}
