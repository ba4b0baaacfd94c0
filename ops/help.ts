// Builds every --help text from the table of commands.
import { type AnyCommand, bareOptionOf, nameOf } from './command'
import type { Option } from './options'
import { columns } from './print'

export function overview(commands: readonly AnyCommand[], program: string): string {
  const create = commands.find((command) => command.verb === 'create')
  return page([
    `Usage: ${program} <command> [options] [--json]`,
    `Commands for partners. They use the API key that \`login\` stores, or PAYOUTS_KEY and PAYOUTS_URL if they are set:\n${listOf(commands.filter(({ by }) => by === 'client'))}`,
    `Commands for operators. They manage partners, keys, wallets, payouts, invoices and the bank. They connect to\nDATABASE_URL (with SECRET_KEYS, and TEMPORAL_ADDRESS to bill) if that is set, otherwise to the system that\n\`npm start\` runs in DATA_DIR (.data):\n${listOf(commands.filter(({ by }) => by === 'operator'))}`,
    globalOptions,
    `Exit codes:\n${indent(columns(exitCodes))}`,
    ...(create ? [exampleOf(create, program)] : []),
  ])
}

export function nounHelp(ofNoun: readonly AnyCommand[], program: string): string {
  const [first] = ofNoun
  return page([
    `Usage: ${program} ${first?.noun} <command> [options] [--json]`,
    `Commands:\n${listOf(ofNoun)}`,
    globalOptions,
    ...(first ? [exampleOf(first, program)] : []),
  ])
}

export function commandHelp(command: AnyCommand, program: string): string {
  const options = Object.entries(command.options)
  const usage = options.map(([name, { kind, presence }]) =>
    presence === 'required' ? written(name, kind) : `[${written(name, kind)}]`,
  )
  const bare = bareOptionOf(command)
  const lines = options.map(([name, { kind, presence, about }]) => [
    written(name, kind),
    `${about} ${presence === 'required' ? 'Required' : 'Optional'}${name === bare ? `, with or without the name --${name}` : ''}: ${kind.rule}.`,
  ])
  return page([
    wrap([`Usage: ${program} ${nameOf(command)}`, ...usage, '[--json]']),
    command.about,
    ...(lines.length > 0 ? [`Options:\n${indent(columns(lines))}`] : []),
    globalOptions,
    exampleOf(command, program),
  ])
}

function written(name: string, { placeholder }: Option['kind']): string {
  return `--${name} ${placeholder}`.trimEnd()
}

function listOf(commands: readonly AnyCommand[]): string {
  return indent(columns(commands.map((command) => [nameOf(command), command.about])))
}

/** The same for every command. docs/operations/commands.md has the same table. */
const exitCodes = [
  ['0', 'The command succeeded.'],
  ['1', 'Something failed, such as a connection, or the command found a problem, such as a drift or a failed payout.'],
  ['2', 'An argument is wrong, or the request was refused. Nothing was changed.'],
  ['130', 'Ctrl-C ended the command.'],
]

const lineWidth = 120
const globalOptions = `Global options:\n${indent(
  columns([
    ['--json', 'Prints one JSON value in the format of the API; errors too, on standard error.'],
    ['--help', 'Shows help for the program, for a noun, or for one command.'],
    ['--version', 'Shows the version of the program.'],
  ]),
)}`

function exampleOf(command: AnyCommand, program: string): string {
  const args = command.example.map((arg) => (/^[\w@.,:=-]+$/.test(arg) ? arg : `"${arg}"`))
  return `Example:\n  ${[program, nameOf(command), ...args].join(' ')}`
}

function page(parts: readonly string[]): string {
  return parts.join('\n\n')
}

function wrap(parts: readonly string[]): string {
  const lines: string[] = []
  for (const part of parts) {
    const longer = [...lines.slice(-1), part].join(' ')
    if (lines.length > 0 && longer.length <= lineWidth) lines[lines.length - 1] = longer
    else lines.push(lines.length > 0 ? `    ${part}` : part)
  }
  return lines.join('\n')
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
