// Builds every --help text from the table of commands.
import { bareOptionOf, type Command, nameOf } from './command'
import type { Option } from './options'
import { columns } from './print'

export function overview(commands: readonly Command[]): string {
  const lines = commands.map((command) => [nameOf(command), command.about])
  const create = commands.find((command) => command.verb === 'create')
  return page([
    `Usage: ${program} <command> [options] [--json]`,
    'Manages partners, keys, wallets, payouts, invoices and the bank. Connects to DATABASE_URL (with SECRET_KEYS, and\nTEMPORAL_ADDRESS to bill) if that is set, otherwise to the system that `npm start` runs in DATA_DIR (.data).',
    `Commands:\n${indent(columns(lines))}`,
    globalOptions,
    ...(create ? [exampleOf(create)] : []),
  ])
}

export function nounHelp(ofNoun: readonly Command[]): string {
  const [first] = ofNoun
  const lines = ofNoun.map((command) => [nameOf(command), command.about])
  return page([
    `Usage: ${program} ${first?.noun} <command> [options] [--json]`,
    `Commands:\n${indent(columns(lines))}`,
    globalOptions,
    ...(first ? [exampleOf(first)] : []),
  ])
}

export function commandHelp(command: Command): string {
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
    exampleOf(command),
  ])
}

function written(name: string, { placeholder }: Option['kind']): string {
  return `--${name} ${placeholder}`.trimEnd()
}

const program = 'npm run -s ops --'
const lineWidth = 120
const globalOptions = `Global options:\n${indent(
  columns([
    ['--json', 'Prints one JSON value in the format of the API; errors too, on standard error.'],
    ['--help', 'Shows help for ops, for a noun, or for one command.'],
  ]),
)}`

function exampleOf(command: Command): string {
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
