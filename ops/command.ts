// What a command of ops is: one entry of a table that drives parsing, help and tests, so that they cannot drift.
import type { Ops } from './connect'
import type { Option, OptionTable } from './options'

export interface Command<Options extends OptionTable = OptionTable> {
  readonly noun: string
  readonly verb: string
  /** The noun alone is this command. */
  readonly whenAlone?: 'runs'
  /** What happens, in a sentence. */
  readonly about: string
  readonly options: Options
  /** Which option a bare word behind noun and verb is for; the one that is named as the noun, where nothing is said. */
  readonly bare?: string
  /** The arguments behind noun and verb of a call that works when pasted. */
  readonly example: readonly string[]
  run(ops: Ops, given: Given<Options>): Promise<Answer>
}

/** What the options say once they are read; an optional one that was left out is undefined. */
export type Given<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer Value, infer Presence>
    ? Presence extends 'required'
      ? Value
      : Value | undefined
    : never
}

export type Answer = Done | Refusal

interface Done {
  readonly outcome: 'done'
  /** For scripts, in the API's own shapes. */
  readonly json: unknown
  /** For people. */
  readonly text: string
  /** The command found something that an operator has to look at. The exit code shows it, too. */
  readonly found?: 'something'
}

export interface Refusal {
  readonly outcome: 'refused'
  readonly code: RefusalCode
  readonly message: string
  readonly details?: Readonly<Record<string, string>>
}

/** The API's own codes, and slug_taken, for which the API has no call. */
type RefusalCode =
  | 'invalid_request'
  | 'invalid_state'
  | 'key_limit_reached'
  | 'not_found'
  | 'slug_taken'
  | 'verification_required'

/** Keeps each command's own types inside it, so that one table can hold them all. */
export function defineCommand<Options extends OptionTable>(command: Command<Options>): Command {
  return command
}

/** Null where a bare word means nothing. */
export function bareOptionOf({ noun, bare = noun, options }: Command): string | null {
  return Object.hasOwn(options, bare) ? bare : null
}

export function nameOf(command: Command): string {
  return `${command.noun} ${command.verb}`
}

export function done(json: unknown, text: string): Done {
  return { outcome: 'done', json, text }
}

/** It was done, and has found what should not be. */
export function found(json: unknown, text: string): Done {
  return { outcome: 'done', json, text, found: 'something' }
}

export function refused(code: RefusalCode, message: string, details?: Readonly<Record<string, string>>): Refusal {
  return { outcome: 'refused', code, message, ...(details && { details }) }
}

export function unknownPartner(slug: string): Refusal {
  return refused('not_found', `There is no partner ${slug}.`)
}
