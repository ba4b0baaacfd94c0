// Parses TOML, the format of Temporal's configuration file. Numbers and dates remain text, because no setting needs
// them.

export type TomlValue = string | boolean | TomlTable | readonly TomlValue[]
export type TomlTable = ReadonlyMap<string, TomlValue>

export class TomlError extends Error {
  constructor(line: number) {
    super(`is not valid TOML in line ${line}`)
    this.name = 'TomlError'
  }
}

type Table = Map<string, TomlValue>

export function parseToml(text: string): TomlTable {
  const scanner = new Scanner(text)
  const root: Table = new Map()
  let table = root
  for (scanner.take(gap); !scanner.isAtEnd(); scanner.take(gap)) {
    if (scanner.take(/\[[ \t]*/y) === undefined) {
      readPair(scanner, table)
    } else {
      table = tableAt(scanner, root, readKey(scanner))
      scanner.require(/[ \t]*\]/y)
    }
    scanner.require(/[ \t]*(#[^\n]*)?\r?(\n|$)/y)
  }
  return root
}

/** Matches spaces, line breaks and comments. */
const gap = /([ \t\r\n]|#[^\n]*)*/y

class Scanner {
  private at = 0

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    return this.at === this.text.length
  }

  /** Returns undefined and does not advance if the text does not match. */
  take(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  require(sticky: RegExp): string {
    const found = this.take(sticky)
    if (found === undefined) throw this.mistake()
    return found
  }

  mistake(): TomlError {
    return new TomlError(this.text.slice(0, this.at).split('\n').length)
  }
}

function readPair(scanner: Scanner, into: Table): void {
  const path = readKey(scanner)
  const [last = ''] = path.splice(-1)
  const table = tableAt(scanner, into, path)
  scanner.require(/[ \t]*=[ \t]*/y)
  const value = readValue(scanner)
  if (table.has(last)) throw scanner.mistake()
  table.set(last, value)
}

function readKey(scanner: Scanner): string[] {
  const parts: string[] = []
  do {
    const part = scanner.require(/[ \t]*("([^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)/y).trim()
    parts.push(/^["']/.test(part) ? unquote(scanner, part, 1) : part)
  } while (scanner.take(/[ \t]*\./y) !== undefined)
  return parts
}

function tableAt(scanner: Scanner, root: Table, path: readonly string[]): Table {
  let table = root
  for (const key of path) {
    const next = table.get(key) ?? new Map()
    if (!(next instanceof Map)) throw scanner.mistake()
    table.set(key, next)
    table = next
  }
  return table
}

function readValue(scanner: Scanner): TomlValue {
  const long = scanner.take(/"""([^\\]|\\[^])*?"{3,5}(?!")|'''[^]*?'{3,5}(?!')/y)
  if (long !== undefined) return unquote(scanner, long.replace(/^(...)\r?\n/, '$1'), 3)
  const short = scanner.take(/"([^"\\\n]|\\.)*"|'[^'\n]*'/y)
  if (short !== undefined) return unquote(scanner, short, 1)
  if (scanner.take(/\[/y) !== undefined) return readArray(scanner)
  if (scanner.take(/\{[ \t]*/y) !== undefined) return readInlineTable(scanner)
  const word = scanner.require(/[\w.:+-]+/y)
  return word === 'true' || word === 'false' ? word === 'true' : word
}

function readArray(scanner: Scanner): TomlValue[] {
  const values: TomlValue[] = []
  scanner.take(gap)
  while (scanner.take(/\]/y) === undefined) {
    values.push(readValue(scanner))
    scanner.take(gap)
    if (scanner.take(/,/y) === undefined) {
      scanner.require(/\]/y)
      break
    }
    scanner.take(gap)
  }
  return values
}

function readInlineTable(scanner: Scanner): TomlTable {
  const table: Table = new Map()
  if (scanner.take(/\}/y) !== undefined) return table
  do readPair(scanner, table)
  while (scanner.take(/[ \t]*,[ \t]*/y) !== undefined)
  scanner.require(/[ \t]*\}/y)
  return table
}

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' }

function unquote(scanner: Scanner, quoted: string, quotes: 1 | 3): string {
  const text = quoted.slice(quotes, -quotes)
  if (quoted.startsWith("'")) return text
  return text.replace(/\\(u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|[ \t]*\r?\n\s*|[^])/g, (_all, code: string) => {
    if (/^\s/.test(code) && quotes === 3) return ''
    if (/^[uU]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    const escaped = escapes[code]
    if (escaped === undefined) throw scanner.mistake()
    return escaped
  })
}
