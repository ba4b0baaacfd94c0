// Runs one command: the result goes to standard output, an error to standard error as one sentence.
import type { EnvironmentVariables } from '../runtime/config/config'
import { asksForJson, readArguments } from './arguments'
import { commands } from './commands'
import { withOps } from './connect'
import { printableErrorOf } from './errors'
import { type Output, printAnswer, printError } from './print'

interface Terminal {
  readonly env: EnvironmentVariables
  readonly stdout: Output
  readonly stderr: Output
}

/** 0: done. 1: an error, such as an unreachable database, or a problem found, such as a drift. 2: a wrong argument or a refusal. */
type ExitCode = 0 | 1 | 2

export async function run(argv: readonly string[], { env, stdout, stderr }: Terminal): Promise<ExitCode> {
  const form = asksForJson(argv) ? 'json' : 'text'
  const reading = readArguments(commands, argv)
  if (reading.outcome === 'help') {
    stdout.write(`${reading.text}\n`)
    return 0
  }
  try {
    const { outcome } = reading
    // Scripts read one JSON value and nothing before it.
    const say = (line: string) => void (form === 'text' && stdout.write(`${line}\n`))
    const answer =
      outcome === 'run' ? await withOps(env, say, (ops) => reading.command.run(ops, reading.given)) : reading
    if (answer.outcome === 'refused') {
      printError(stderr, form, answer)
      return 2
    }
    printAnswer(stdout, form, answer)
    return answer.found === 'something' ? 1 : 0
  } catch (error) {
    printError(stderr, form, printableErrorOf(error))
    return 1
  }
}
