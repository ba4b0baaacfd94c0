// Reads settings from environment variables, and collects mistakes so that all of them are reported at once.
import { readFileSync } from 'node:fs'
import { type Setting, variablesOf } from './setting'
import { type SettingName, settings, type ValueOf } from './settings'
import { type Profile, readProfile } from './temporal-profile'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}

/** The settings, typed so that a setting's name determines the type of its value. */
const table: { readonly [Name in SettingName]: Setting<ValueOf<Name>> } = settings

export class Reader {
  readonly mistakes: string[] = []
  /** Cached, so that each file is read only once, and its mistakes are reported only once. */
  private readonly texts = new Map<SettingName, string>()
  /** The variable in which each setting was found, for messages. */
  private readonly sources = new Map<SettingName, string>()
  private profile: Profile | null = null

  constructor(private readonly env: EnvironmentVariables) {
    const asked = { name: this.text('TEMPORAL_PROFILE'), file: this.text('TEMPORAL_CONFIG_FILE') }
    this.profile = readProfile(asked, env, this.mistakes)
  }

  has(name: SettingName): boolean {
    return this.text(name) !== ''
  }

  read<Name extends SettingName>(name: Name): ValueOf<Name> {
    return this.valueOf(name, table[name])
  }

  /** The unchecked text of a setting. Empty if it is not set. */
  text(name: SettingName): string {
    const known = this.texts.get(name)
    if (known !== undefined) return known
    const text = this.load(name)
    this.texts.set(name, text)
    return text
  }

  /** The variable that contains the setting. Without one, the setting's own name. */
  sourceOf(name: SettingName): string {
    return this.sources.get(name) ?? name
  }

  /** A public service without NODE_ENV must not run with development secrets, so https means production. */
  isProduction(): boolean {
    const otherwise = this.text('PUBLIC_URL').startsWith('https:') ? 'production' : 'development'
    return (this.text('NODE_ENV') || otherwise) === 'production'
  }

  /** Throws one error with all mistakes. */
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
    if (value === undefined) this.mistakes.push(`${this.sourceOf(name)} must be ${checked.mustBe}.`)
    return value === undefined ? kind.onMistake : value
  }

  /** Variables take precedence over the profile. */
  private load(name: SettingName): string {
    return this.loadFrom(this.env, name, '') || this.loadFrom(this.profile?.variables ?? {}, name, this.ofProfile())
  }

  private ofProfile(): string {
    return ` of Temporal's profile ${this.profile?.name ?? ''}`
  }

  private loadFrom(env: EnvironmentVariables, name: SettingName, whose: string): string {
    const given = variablesOf(name, table[name]).filter(({ variable }) => env[variable])
    const [first, second] = given
    if (first === undefined) return ''
    const source = `${first.variable}${whose}`
    this.sources.set(name, `${first.shown}${whose}`)
    if (second !== undefined)
      this.mistakes.push(`${source} and ${second.variable}${whose} are both set; remove one of them.`)
    const value = env[first.variable] ?? ''
    return first.holds === 'file' ? this.contentOf(value, source) : value
  }

  private contentOf(file: string, source: string): string {
    try {
      const content = readFileSync(file, 'utf8').trim()
      if (content === '') this.mistakes.push(`${source} names an empty file.`)
      return content
    } catch {
      this.mistakes.push(`${source} names a file that cannot be read.`)
      return ''
    }
  }
}
