// Parses the arguments against the table of commands. Reports an invalid argument in one sentence.
import { parseArgs } from 'node:util'
import { bareOptionOf, type Command, nameOf, type ParsedOptions, type Refusal, refused } from './command'
import { commandHelp, nounHelp, overview } from './help'
import type { Option, OptionTable } from './options'

type Reading =
  | { readonly outcome: 'run'; readonly command: Command; readonly given: ParsedOptions<OptionTable> }
  | { readonly outcome: 'help'; readonly text: string }
  | Refusal

export function readArguments(commands: readonly Command[], argv: readonly string[]): Reading {
  const tokens = tokensOf(commands, argv)
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const [noun, ...rest] = words
  const ofNoun = commands.filter((command) => command.noun === noun)
  const command = ofNoun.find((each) => (rest.length === 0 ? each.whenAlone === 'runs' : isVerb(each, rest)))

  if (asksForHelp(argv) && words.length === 0) return { outcome: 'help', text: overview(commands) }
  if (asksForHelp(argv) && words.length === 1 && ofNoun.length > 0) return { outcome: 'help', text: nounHelp(ofNoun) }
  if (command === undefined) return wrong(whichCommand(commands, ofNoun, words))
  if (asksForHelp(argv)) return { outcome: 'help', text: commandHelp(command) }

  const bare = rest.slice(command.verb.split(' ').length)
  const name = bareOptionOf(command)
  const named = name === null ? [] : bare.slice(0, 1).map((value) => optionToken(name, value))
  const given = readOptions(command, [...named, ...tokens])
  if (typeof given === 'string') return wrong(given)
  const extra = bare[named.length]
  if (extra !== undefined) return wrong(`${quoted(command)} does not take ${JSON.stringify(extra)}.`)
  return { outcome: 'run', command, given }
}

/** A verb may have two words: `price default show`. */
function isVerb({ verb }: Command, words: readonly string[]): boolean {
  return verb.split(' ').every((word, index) => words[index] === word)
}

/** Also works for arguments that cannot be parsed. */
export function asksForJson(argv: readonly string[]): boolean {
  return beforeTerminator(argv).includes('--json')
}

type Token = ReturnType<typeof tokensOf>[number]

// Declares the options of all commands together, so that words and values can be separated before the command is known.
// Strict mode is off, because the error messages of parseArgs are several sentences long.
function tokensOf(commands: readonly Command[], argv: readonly string[]) {
  const all = commands.flatMap((command) => Object.entries(command.options))
  const typeOf = ({ kind }: Option) => (kind.isFlag ? ('boolean' as const) : ('string' as const))
  const options = Object.fromEntries(all.map(([name, option]) => [name, { type: typeOf(option) }]))
  return parseArgs({
    args: [...argv],
    options: { ...options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens
}

function asksForHelp(argv: readonly string[]): boolean {
  const args = beforeTerminator(argv)
  return args.includes('--help') || args.includes('-h')
}

function beforeTerminator(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

function wrong(sentence: string): Refusal {
  return refused('invalid_request', sentence)
}

function whichCommand(commands: readonly Command[], ofNoun: readonly Command[], words: readonly string[]): string {
  const nouns = [...new Set(commands.map((command) => command.noun))].join(', ')
  const verbs = ofNoun.map((command) => command.verb).join(', ')
  if (words.length === 0) return `Give a command that begins with one of: ${nouns} (see --help).`
  if (ofNoun.length === 0)
    return `There is no command ${JSON.stringify(words[0])}. A command begins with one of: ${nouns}.`
  if (words.length === 1) return `\`${words[0]}\` needs one of: ${verbs}.`
  return `There is no command ${JSON.stringify(words.slice(0, 2).join(' '))}: \`${words[0]}\` has ${verbs}.`
}

// No message repeats a value: it may be a secret, pasted into the wrong place.
function readOptions(command: Command, tokens: readonly Token[]): ParsedOptions<OptionTable> | string {
  const given = new Map<string, unknown>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    if (given.has(token.name)) return `${token.rawName} must be given only once.`
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

function readOption(command: Command, token: OptionToken): { value: unknown } | { fault: string } {
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

function quoted(command: Command): string {
  return `\`${nameOf(command)}\``
}

function namesOf(command: Command): string {
  const names = Object.keys(command.options).map((name) => `--${name}`)
  return `it takes ${[...names, '--json', '--help'].join(', ')}`
}
