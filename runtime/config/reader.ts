// How a setting is read: each kind of value is checked, and what is wrong is collected instead of thrown.
import { readFileSync } from 'node:fs'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** One key of the keyring; the first one of SECRET_KEYS writes, all of them read. */
export interface SecretKey {
  readonly id: string
  readonly bytes: Buffer
}

/** Reads one variable at a time and collects what is wrong instead of stopping at the first mistake. */
export class Reader {
  readonly mistakes: string[] = []
  /** Which variables were looked at and are set, as they are. */
  readonly used: Record<string, string> = {}
  /** Each file is read, and complained about, once. */
  private readonly files = new Map<string, string>()

  constructor(private readonly env: EnvironmentVariables) {}

  has(name: string): boolean {
    return this.given(name) !== ''
  }

  text(name: string, fallback?: string): string {
    const value = this.given(name) || fallback
    if (value === undefined) this.mistakes.push(`${name} is required.`)
    return value ?? ''
  }

  /** As it is set, or from the file that <name>_FILE names: what is in a file shows in no list of processes or containers. */
  private given(name: string): string {
    const [value, file] = [this.use(name), this.use(`${name}_FILE`)]
    if (file === '' || this.files.has(name)) return this.files.get(name) ?? value
    this.files.set(name, value || this.contentOf(file, name))
    if (value !== '') this.mistakes.push(`${name} and ${name}_FILE are both set; one of them must go.`)
    return this.given(name)
  }

  private use(name: string): string {
    const value = this.env[name] || ''
    if (value !== '') this.used[name] = value
    return value
  }

  private contentOf(file: string, name: string): string {
    try {
      const content = readFileSync(file, 'utf8').trim()
      if (content === '') this.mistakes.push(`${name}_FILE names a file that is empty.`)
      return content
    } catch {
      this.mistakes.push(`${name}_FILE names a file that can not be read.`)
      return ''
    }
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name, String(fallback))
    if (/^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    this.mistakes.push(`${name} must be a whole number from ${min} to ${max}.`)
    return fallback
  }

  integers(name: string, fallback: readonly number[], min: number, max: number): readonly number[] {
    const values = this.text(name, fallback.join(',')).split(',')
    const good = values.every((value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max)
    if (good) return values.map(Number)
    this.mistakes.push(`${name} must be whole numbers from ${min} to ${max} with commas between them.`)
    return fallback
  }

  word(name: string, fallback: string): string {
    const value = this.text(name, fallback)
    if (!/^[A-Za-z0-9_.-]{1,100}$/.test(value)) {
      this.mistakes.push(`${name} must be 1 to 100 letters, digits, dots, hyphens and underscores.`)
    }
    return value
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.text(name, fallback)
    const known = allowed.find((each) => each === value)
    if (known === undefined) this.mistakes.push(`${name} must be one of: ${allowed.join(', ')}.`)
    return known ?? fallback
  }

  url(name: string, protocols: readonly string[], fallback?: string): string {
    const value = this.text(name, fallback)
    if (value !== '' && !(URL.canParse(value) && protocols.includes(new URL(value).protocol))) {
      this.mistakes.push(`${name} must be a URL that starts with ${protocols.join('// or ')}//.`)
    }
    return value
  }

  /** Lines apart by a line break, written as such or as \\n, or by a bar. */
  lines(name: string): readonly string[] {
    const lines = this.text(name).split(/\n|\\n|\|/)
    return lines.map((line) => line.trim()).filter(Boolean)
  }

  /** In basis points, from a number of per cent with at most two decimals, such as 5 or 2.25. */
  basisPoints(name: string, fallback: string, min: number, max: number): number {
    const value = basisPointsIn(this.text(name, fallback))
    if (value !== null && value >= min && value <= max) return value
    this.mistakes.push(`${name} must be a number of per cent from ${min / 100} to ${max / 100}, such as ${fallback}.`)
    return min
  }

  /** In hundredths of a per cent, from a number such as 20 or 17.5. */
  percent(name: string): number {
    const text = this.text(name)
    const value = basisPointsIn(text)
    if (text !== '' && value === null)
      this.mistakes.push(`${name} must be a number of per cent below 100, such as 20 or 17.5.`)
    return value ?? 0
  }

  /** An address, or a name with the address behind it in angle brackets. */
  mailbox(name: string): { readonly name: string; readonly address: string } {
    const value = this.text(name)
    const [, inFront = '', inside, alone] = /^(?:([^<>\r\n]*)<([^<>\s]+)>|([^<>\s]+))$/.exec(value) ?? []
    const address = inside ?? alone ?? ''
    if (value !== '' && !/^[^\s@]+@[^\s@]+$/.test(address)) {
      this.mistakes.push(
        `${name} must be an email address, such as billing@example.com or Example <billing@example.com>.`,
      )
    }
    return { name: inFront.trim(), address }
  }

  optionalUrl(name: string): string | null {
    return this.has(name) ? this.url(name, ['http:', 'https:']) : null
  }

  secretKeys(name: string): SecretKey[] {
    const value = this.text(name)
    const parts = value.split(',').filter(Boolean)
    const keys = parts.map((part) => /^([a-z0-9]{1,16}):([0-9a-f]{64})$/.exec(part))
    const ids = new Set(keys.map((match) => match?.[1]))
    if (value !== '' && (keys.length === 0 || keys.includes(null) || ids.size < keys.length)) {
      this.mistakes.push(
        `${name} must be a comma-separated list of <id>:<64 hex digits>, each id once, the current key first.`,
      )
    }
    return keys.flatMap((match) =>
      match?.[1] && match[2] ? [{ id: match[1], bytes: Buffer.from(match[2], 'hex') }] : [],
    )
  }
}

/** Null unless it is a number of per cent below 100 with at most two decimals. */
function basisPointsIn(text: string): number | null {
  const [, whole, part = ''] = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}
