// A command: one entry in the table that drives parsing, help, shell completion and tests.
import type { EnvironmentVariables } from '../runtime/config/config'
import type { Ops } from './connect'
import type { Option, OptionTable } from './options'
import type { Form } from './print'

export type AnyCommand = Command | ClientCommand

/** A command for operators, which uses the database, the bank and Temporal. */
export interface Command<Options extends OptionTable = OptionTable> extends Described<Options> {
  readonly by: 'operator'
  run(ops: Ops, given: ParsedOptions<Options>): Promise<Answer>
}

/** A command that needs no setting of the service and loads none of its packages. */
export interface ClientCommand<Options extends OptionTable = OptionTable> extends Described<Options> {
  readonly by: 'client'
  run(session: Session, given: ParsedOptions<Options>): Promise<Answer>
}

interface Described<Options extends OptionTable> {
  readonly noun: string
  /** Empty if the command is a single word. */
  readonly verb: string
  /** `runs`: the noun alone runs this command. */
  readonly whenAlone?: 'runs'
  /** Describes the effect in one sentence. */
  readonly about: string
  readonly options: Options
  /** The option that receives a bare word after noun and verb. The default is the option with the noun's name. */
  readonly bare?: string
  /** The arguments of the example in the help, after noun and verb. The example works when pasted. */
  readonly example: readonly string[]
}

/** The terminal of a client command. */
export interface Session {
  readonly env: EnvironmentVariables
  readonly form: Form
  /** Whether a person can read and answer questions. */
  readonly isInteractive: boolean
  /** Prints a line for the person. Scripts do not get it. */
  say(line: string): void
  ask(question: string): Promise<string>
  /** Does not show what the person types. */
  askSecret(question: string): Promise<string>
  /** Reads standard input to its end. Empty if it is a terminal. */
  readInput(): Promise<string>
  commands(): readonly AnyCommand[]
}

/** An omitted optional option is undefined. */
export type ParsedOptions<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer Value, infer Presence>
    ? Presence extends 'required'
      ? Value
      : Value | undefined
    : never
}

export type Answer = Done | Refusal

interface Done {
  readonly outcome: 'done'
  /** The JSON output for scripts, in the API's formats. */
  readonly json: unknown
  /** The text for the terminal. */
  readonly text: string
  /** The command found a problem that needs a person, so the exit code is 1. */
  readonly found?: 'something'
}

export interface Refusal {
  readonly outcome: 'refused'
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly requestId?: string
}

/** The API's error codes, plus not_confirmed and slug_taken. */
type RefusalCode =
  | 'invalid_request'
  | 'invalid_state'
  | 'key_limit_reached'
  | 'not_confirmed'
  | 'not_found'
  | 'slug_taken'
  | 'unauthorized'
  | 'verification_required'

/** A command without options may omit its options and its example. */
type Definition<C extends Described<OptionTable>> = Omit<C, 'by' | 'noun' | 'verb' | 'options' | 'example'> &
  Partial<Pick<C, 'options' | 'example'>>

/** Hides the option types of a command, so that one table can hold all commands. */
export function defineCommand<Options extends OptionTable>(
  name: `${string} ${string}`,
  { options, example = [], ...definition }: Definition<Command<Options>>,
): Command {
  const [noun = '', ...verb] = name.split(' ')
  return { by: 'operator', noun, verb: verb.join(' '), options: options ?? {}, example, ...definition }
}

export function defineClientCommand<Options extends OptionTable>(
  noun: string,
  { options, example = [], ...definition }: Definition<ClientCommand<Options>>,
): ClientCommand {
  return { by: 'client', noun, verb: '', options: options ?? {}, example, ...definition }
}

/** Null if the command accepts no bare word. */
export function bareOptionOf({ noun, bare = noun, options }: AnyCommand): string | null {
  return Object.hasOwn(options, bare) ? bare : null
}

export function nameOf(command: AnyCommand): string {
  return wordsOf(command).join(' ')
}

/** A verb may have two words, as in `price default show`, or none, as in `login`. */
export function wordsOf({ noun, verb }: AnyCommand): readonly string[] {
  return verb === '' ? [noun] : [noun, ...verb.split(' ')]
}

export function done(json: unknown, text: string): Done {
  return { outcome: 'done', json, text }
}

export function foundProblem(json: unknown, text: string): Done {
  return { outcome: 'done', json, text, found: 'something' }
}

export function refused(code: RefusalCode, message: string, details?: Readonly<Record<string, string>>): Refusal {
  return { outcome: 'refused', code, message, ...(details && { details }) }
}

export function unknownPayout(id: string): Refusal {
  return refused('not_found', `There is no payout ${id}.`)
}
