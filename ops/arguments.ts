// Parses the arguments against the command table. Reports an invalid argument in one sentence.
import { parseArgs } from 'node:util'
import { type AnyCommand, bareOptionOf, nameOf, type ParsedOptions, type Refusal, refused, wordsOf } from './command'
import { commandHelp, nounHelp, overview } from './help'
import type { Option, OptionTable } from './options'

export type Reading<C extends AnyCommand = AnyCommand> =
  | { readonly outcome: 'run'; readonly command: C; readonly given: ParsedOptions<OptionTable> }
  | { readonly outcome: 'help'; readonly text: string }
  | { readonly outcome: 'version' }
  | Refusal

/** `program` is how the help writes the name of this program. */
export function readArguments<C extends AnyCommand>(
  commands: readonly C[],
  argv: readonly string[],
  program = 'npm run -s ops --',
): Reading<C> {
  const tokens = tokensOf(commands, argv)
  const words = wordsAmong(tokens)
  const [noun] = words
  const ofNoun = commands.filter((command) => command.noun === noun)
  const command = ofNoun.find((each) => isNamed(each, words))
  const isAbout = (text: string) => ({ outcome: 'help', text }) as const

  if (asksFor(argv, '--help', '-h')) {
    if (words.length === 0) return isAbout(overview(commands, program))
    if (words.length === 1 && ofNoun.some(({ verb }) => verb !== '')) return isAbout(nounHelp(ofNoun, program))
    if (command !== undefined) return isAbout(commandHelp(command, program))
  }
  if (asksFor(argv, '--version') && words.length === 0) return { outcome: 'version' }
  if (command === undefined) return wrong(whichCommand(commands, ofNoun, words))

  const bare = words.slice(wordsOf(command).length)
  const name = bareOptionOf(command)
  const named = name === null ? [] : bare.slice(0, 1).map((value) => optionToken(name, value))
  const given = readOptions(command, [...named, ...tokens])
  if (typeof given === 'string') return wrong(given)
  const extra = bare[named.length]
  if (extra !== undefined) return wrong(`${quoted(command)} does not take ${JSON.stringify(extra)}.`)
  return { outcome: 'run', command, given }
}

function isNamed(command: AnyCommand, words: readonly string[]): boolean {
  if (words.length === 1 && command.whenAlone === 'runs') return true
  return wordsOf(command).every((word, index) => words[index] === word)
}

/** Also works for arguments that cannot be parsed. */
export function asksForJson(argv: readonly string[]): boolean {
  return asksFor(argv, '--json')
}

/** The first argument that is neither an option nor the value of one. */
export function firstWord(commands: readonly AnyCommand[], argv: readonly string[]): string | undefined {
  return wordsAmong(tokensOf(commands, argv))[0]
}

function wordsAmong(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
}

type Token = ReturnType<typeof tokensOf>[number]

// Declares the options of all commands together, so that words and values can be separated before the command is known.
// Strict mode is off, because the error messages of parseArgs are several sentences long.
function tokensOf(commands: readonly AnyCommand[], argv: readonly string[]) {
  const all = commands.flatMap((command) => Object.entries(command.options))
  const typeOf = ({ kind }: Option) => (kind.isFlag ? ('boolean' as const) : ('string' as const))
  const options = Object.fromEntries(all.map(([name, option]) => [name, { type: typeOf(option) }]))
  return parseArgs({
    args: [...argv],
    options: {
      ...options,
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens
}

function asksFor(argv: readonly string[], ...names: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return names.some((name) => (end < 0 ? argv : argv.slice(0, end)).includes(name))
}

/** Does not repeat an API key that was passed as an argument. */
function wrong(sentence: string): Refusal {
  const hidden = sentence.replaceAll(/kp_(sandbox|live)_\w+/g, 'kp_$1_…')
  const advice = hidden === sentence ? '' : ' Other users of this machine can read arguments: revoke this key.'
  return refused('invalid_request', hidden + advice)
}

function whichCommand(
  commands: readonly AnyCommand[],
  ofNoun: readonly AnyCommand[],
  words: readonly string[],
): string {
  const nouns = [...new Set(commands.map((command) => command.noun))].join(', ')
  const verbs = ofNoun.map((command) => command.verb).join(', ')
  if (words.length === 0) return `Specify a command that begins with one of: ${nouns} (see --help).`
  if (ofNoun.length === 0)
    return `There is no command ${JSON.stringify(words[0])}. A command begins with one of: ${nouns}.`
  if (words.length === 1) return `\`${words[0]}\` needs one of: ${verbs}.`
  return `There is no command ${JSON.stringify(words.slice(0, 2).join(' '))}: \`${words[0]}\` has ${verbs}.`
}

// No message repeats a value, because the value may be a secret that was pasted by mistake.
function readOptions(command: AnyCommand, tokens: readonly Token[]): ParsedOptions<OptionTable> | string {
  const given = new Map<string, unknown>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    if (given.has(token.name)) return `${token.rawName} can be given only once.`
    const read = readOption(command, token)
    if ('fault' in read) return read.fault
    given.set(token.name, read.value)
  }
  given.delete('json')
  const missing = Object.entries(command.options).flatMap(([name, { presence }]) =>
    presence === 'required' && !given.has(name) ? [`--${name}`] : [],
  )
  return missing.length > 0 ? `${quoted(command)} needs ${missing.join(' and ')}.` : Object.fromEntries(given)
}

type OptionToken = Extract<Token, { kind: 'option' }>

/** Treats a bare word as the value of its option. */
function optionToken(name: string, value: string): OptionToken {
  return { kind: 'option', index: 0, name, rawName: `--${name}`, value, inlineValue: true }
}

function readOption(command: AnyCommand, token: OptionToken): { value: unknown } | { fault: string } {
  const { name, rawName } = token
  if (name === 'json') return token.value === undefined ? { value: true } : { fault: '--json takes no value.' }
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined
  if (option === undefined) return { fault: `${quoted(command)} has no option ${rawName}: ${namesOf(command)}.` }
  if (option.kind.isFlag) return token.value === undefined ? { value: true } : { fault: `${rawName} takes no value.` }
  // In "--name --slug acme" the name is missing. A value that begins with -- can be written as --name=--value.
  const isMissing = token.value === undefined || (token.value.startsWith('--') && !token.inlineValue)
  if (isMissing) return { fault: `${rawName} needs a value.` }
  if (token.value.trim() === '') return { fault: `${rawName} must not be empty.` }
  const value = option.kind.parse(token.value)
  return value === undefined ? { fault: `${rawName} must be ${option.kind.rule}.` } : { value }
}

function quoted(command: AnyCommand): string {
  return `\`${nameOf(command)}\``
}

function namesOf(command: AnyCommand): string {
  const names = Object.keys(command.options).map((name) => `--${name}`)
  return `its options are ${[...names, '--json', '--help'].join(', ')}`
}
