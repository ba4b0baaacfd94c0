// Runs one command: the result goes to standard output, an error to standard error as one sentence.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir } from '../local/files'
import { asksForJson, firstWord, type Reading, readArguments } from './arguments'
import { clientCommands } from './client/commands'
import { type Answer, nameOf } from './command'
import { allCommands, commandsOf } from './commands'
import type * as connecting from './connect'
import { printableErrorOf } from './errors'
import { printAnswer, printError } from './print'
import { Interrupted, openSession, showProgress, type Terminal } from './terminal'

/** The help explains these codes. */
type ExitCode = 0 | 1 | 2 | 130

export async function run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { env, stdout, stderr } = terminal
  const form = asksForJson(argv) ? 'json' : 'text'
  const reading = read(argv, terminal.program)
  if (reading.outcome === 'help') {
    stdout.write(`${reading.text}\n`)
    return 0
  }
  if (reading.outcome === 'version') {
    printAnswer(stdout, form, { json: { version: version() }, text: version() })
    return 0
  }
  if (reading.outcome === 'refused') {
    printError(stderr, form, reading)
    return 2
  }

  const { command, given } = reading
  const progress = showProgress(terminal, form, nameOf(command))
  try {
    const answer = await execute()
    progress.end()
    if (answer.outcome === 'refused') {
      printError(stderr, form, answer)
      return 2
    }
    printAnswer(stdout, form, answer)
    return answer.found === 'something' ? 1 : 0
  } catch (error) {
    progress.end()
    if (error instanceof Interrupted) return 130
    printError(stderr, form, printableErrorOf(error))
    return 1
  }

  function execute(): Promise<Answer> {
    if (command.by === 'client')
      return command.run(openSession(terminal, { form, progress, commands: allCommands }), given)
    const { withOps }: typeof connecting = require('./connect')
    // Scripts expect a single JSON value, so they get no progress lines.
    const say = (line: string) => progress.above(() => void (form === 'text' && stdout.write(`${line}\n`)))
    return withOps(env, say, (ops) => command.run(ops, given))
  }
}

/** Loads as few commands as possible, because most of them load the packages for the database or Temporal. */
function read(argv: readonly string[], program: string | undefined): Reading {
  const noun = firstWord(clientCommands, argv)
  const isForClients = clientCommands.some((command) => command.noun === noun)
  if (isForClients || (noun === undefined && argv[0] === '--version'))
    return readArguments(clientCommands, argv, program)
  // If its module accepts a command, the whole table would too: all the options given are the command's own.
  for (const commands of commandsOf(noun ?? '')) {
    const reading = readArguments(commands, argv, program)
    if (reading.outcome === 'run') return reading
  }
  // Help and refusals list other commands too. The value of an option before the noun was taken for the noun above.
  return readArguments(allCommands(), argv, program)
}

function version(): string {
  return JSON.parse(readFileSync(join(projectDir(), 'package.json'), 'utf8')).version
}
