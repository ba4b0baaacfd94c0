// Reads settings from environment variables, and collects mistakes so that all of them are reported at once.
import { readFileSync } from 'node:fs'
import type { Setting } from './setting'
import { type SettingName, settings, type ValueOf } from './settings'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}

/** The same table, in a form from which the type of a value follows from its name. */
const table: { readonly [Name in SettingName]: Setting<ValueOf<Name>> } = settings

export class Reader {
  readonly mistakes: string[] = []
  /** Each file is read, and its mistakes are reported, once. */
  private readonly texts = new Map<SettingName, string>()

  constructor(private readonly env: EnvironmentVariables) {}

  has(name: SettingName): boolean {
    return this.text(name) !== ''
  }

  read<Name extends SettingName>(name: Name): ValueOf<Name> {
    return this.valueOf(name, table[name])
  }

  /** The text as given, unchecked; empty if the setting is not set. */
  text(name: SettingName): string {
    const known = this.texts.get(name)
    if (known !== undefined) return known
    const text = this.load(name)
    this.texts.set(name, text)
    return text
  }

  /** A public service with a forgotten NODE_ENV must not run with development secrets, so https means production. */
  isProduction(): boolean {
    const otherwise = this.text('PUBLIC_URL').startsWith('https:') ? 'production' : 'development'
    return (this.text('NODE_ENV') || otherwise) === 'production'
  }

  /** Throws all mistakes at once. */
  throwMistakes(): void {
    if (this.mistakes.length > 0) throw new ConfigError(this.mistakes)
  }

  private valueOf<Value>(name: SettingName, { kind, inProduction, presence }: Setting<Value>): Value {
    const given = this.text(name)
    if (given === '' && 'otherwise' in presence) return presence.otherwise
    if (given === '' && 'required' in presence) {
      this.mistakes.push(`${name} is required.`)
      return kind.onMistake
    }
    const checked = inProduction !== undefined && this.isProduction() ? inProduction : kind
    const value = checked.parse(given === '' && 'default' in presence ? presence.default : given)
    if (value === undefined) this.mistakes.push(`${name} must be ${checked.mustBe}.`)
    return value === undefined ? kind.onMistake : value
  }

  /** From the variable, or from the file that <name>_FILE names: a list of processes or containers does not show files. */
  private load(name: SettingName): string {
    const [value, file] = [this.env[name] || '', this.env[`${name}_FILE`] || '']
    if (file === '') return value
    if (value === '') return this.contentOf(file, name)
    this.mistakes.push(`${name} and ${name}_FILE are both set; remove one of them.`)
    return value
  }

  private contentOf(file: string, name: SettingName): string {
    try {
      const content = readFileSync(file, 'utf8').trim()
      if (content === '') this.mistakes.push(`${name}_FILE names an empty file.`)
      return content
    } catch {
      this.mistakes.push(`${name}_FILE names a file that cannot be read.`)
      return ''
    }
  }
}
