// Runs one command: the result goes to standard output, an error to standard error as one sentence.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir } from '../local/files'
import { asksForJson, firstWord, readArguments } from './arguments'
import { clientCommands } from './client/commands'
import { type Answer, type AnyCommand, nameOf } from './command'
import type * as table from './commands'
import type * as connecting from './connect'
import { printableErrorOf } from './errors'
import { printAnswer, printError } from './print'
import { Interrupted, openSession, showProgress, type Terminal } from './terminal'

/** The help explains these codes. */
type ExitCode = 0 | 1 | 2 | 130

export async function run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { env, stdout, stderr } = terminal
  const form = asksForJson(argv) ? 'json' : 'text'
  const reading = readArguments(tableFor(argv), argv, terminal.program)
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

/** Loads the operators' commands only when needed, because they load the packages for the database and Temporal. */
function tableFor(argv: readonly string[]): readonly AnyCommand[] {
  const word = firstWord(clientCommands, argv)
  const isForClients = clientCommands.some(({ noun }) => noun === word)
  return isForClients || (word === undefined && argv[0] === '--version') ? clientCommands : allCommands()
}

function allCommands(): readonly AnyCommand[] {
  const { commands }: typeof table = require('./commands')
  return commands
}

function version(): string {
  return JSON.parse(readFileSync(join(projectDir(), 'package.json'), 'utf8')).version
}
