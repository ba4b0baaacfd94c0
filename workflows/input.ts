// What people start by hand may come with any input: what nobody can follow ends the run at once, with a sentence that says what is wanted.
// An error of another kind would only fail the task, which is then tried again for ever.
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow'
import { parseMonth } from '../domain/month'

export const invalidInput = 'InvalidInput'

/** Each must be a whole number from 1 to its greatest. */
export function requireCounts(input: unknown, greatest: Readonly<Record<string, number>>, example: string): void {
  const given = fieldsOf(input)
  const isRight = Object.entries(greatest).every(([name, most]) => {
    const value = given[name]
    return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
  })
  if (isRight) return
  const ranges = Object.entries(greatest).map(([name, most]) => `${name} from 1 to ${most}`)
  throw refusedInput(`as ${example}, with ${ranges.join(' and ')}`)
}

/** Each must be there, and of its kind. */
export function requireFields(input: unknown, wanted: Readonly<Record<string, keyof typeof kinds>>): void {
  const given = fieldsOf(input)
  const fields = Object.entries(wanted)
  if (fields.every(([name, kind]) => kinds[kind].fits(given[name]))) return
  throw refusedInput(`an object with ${fields.map(([name, kind]) => `${name} (${kinds[kind].inWords})`).join(', ')}`)
}

/** What a run passes on to the one that continues it; from anybody else, who may have copied or made it up, it is not taken. */
export function ofRunBefore<Left>(left: Left | undefined): Left | undefined {
  return workflowInfo().continuedFromExecutionRunId === undefined ? undefined : left
}

export function refusedInput(wanted: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`The input must be ${wanted}.`, invalidInput)
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? { ...input } : {}
}

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const isPause = (value: unknown) => isNumber(value) && Number(value) >= 10
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const kinds = {
  id: { inWords: 'a UUID', fits: (value: unknown) => typeof value === 'string' && uuid.test(value) },
  month: { inWords: 'as 2026-10', fits: (value: unknown) => typeof value === 'string' && parseMonth(value) !== null },
  text: { inWords: 'a text', fits: isText },
  count: {
    inWords: 'a whole number from 1',
    fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  },
  number: { inWords: 'a number', fits: isNumber },
  pauses: {
    inWords: 'a list of milliseconds from 10',
    fits: (value: unknown) => Array.isArray(value) && value.every(isPause),
  },
} as const
