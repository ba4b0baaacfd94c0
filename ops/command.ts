// A command of ops: one entry of the table that drives parsing, help and tests.
import type { Ops } from './connect'
import type { Option, OptionTable } from './options'

export interface Command<Options extends OptionTable = OptionTable> {
  readonly noun: string
  readonly verb: string
  /** The noun alone runs this command. */
  readonly whenAlone?: 'runs'
  /** The effect, in one sentence. */
  readonly about: string
  readonly options: Options
  /** The option that a bare word after noun and verb sets. The default is the option with the noun's name. */
  readonly bare?: string
  /** Arguments after noun and verb, for a call that works when pasted. */
  readonly example: readonly string[]
  run(ops: Ops, given: ParsedOptions<Options>): Promise<Answer>
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
  /** For scripts, in the API's formats. */
  readonly json: unknown
  /** For the terminal. */
  readonly text: string
  /** The command found a problem for an operator, so the exit code is 1. */
  readonly found?: 'something'
}

export interface Refusal {
  readonly outcome: 'refused'
  readonly code: RefusalCode
  readonly message: string
  readonly details?: Readonly<Record<string, string>>
}

/** The API's error codes, plus slug_taken. */
type RefusalCode =
  | 'invalid_request'
  | 'invalid_state'
  | 'key_limit_reached'
  | 'not_found'
  | 'slug_taken'
  | 'verification_required'

/** A command without options may omit its options and its example. */
type Definition<Options extends OptionTable> = Omit<Command<Options>, 'noun' | 'verb' | 'options' | 'example'> &
  Partial<Pick<Command<Options>, 'options' | 'example'>>

/** Hides the option types of a command, so that one table can hold all commands. */
export function defineCommand<Options extends OptionTable>(
  name: `${string} ${string}`,
  { options, example = [], ...definition }: Definition<Options>,
): Command {
  const [noun = '', ...verb] = name.split(' ')
  return { noun, verb: verb.join(' '), options: options ?? {}, example, ...definition }
}

/** Null if the command takes no bare word. */
export function bareOptionOf({ noun, bare = noun, options }: Command): string | null {
  return Object.hasOwn(options, bare) ? bare : null
}

export function nameOf(command: Command): string {
  return `${command.noun} ${command.verb}`
}

export function done(json: unknown, text: string): Done {
  return { outcome: 'done', json, text }
}

/** The command ran and found a problem. */
export function foundProblem(json: unknown, text: string): Done {
  return { outcome: 'done', json, text, found: 'something' }
}

export function refused(code: RefusalCode, message: string, details?: Readonly<Record<string, string>>): Refusal {
  return { outcome: 'refused', code, message, ...(details && { details }) }
}

export function unknownPayout(id: string): Refusal {
  return refused('not_found', `There is no payout ${id}.`)
}
