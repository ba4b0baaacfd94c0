// Validates workflow input, because an operator may start a workflow manually with any input. Invalid input fails the
// run immediately, with a message that describes the expected input. Any other error would only fail the workflow task,
// which Temporal retries forever.
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow'
import { parseMonth } from '../domain/month'
import { isUuid } from '../domain/uuid'

export const invalidInput = 'InvalidInput'

/** Each field must be a whole number from 1 to its maximum. */
export function requireCounts(input: unknown, maxima: Readonly<Record<string, number>>, example: string): void {
  const given = fieldsOf(input)
  const isValid = Object.entries(maxima).every(([name, max]) => {
    const value = given[name]
    return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
  })
  if (isValid) return
  const ranges = Object.entries(maxima).map(([name, max]) => `${name} from 1 to ${max}`)
  throw refusedInput(`like ${example}, with ${ranges.join(' and ')}`)
}

/** Each field must be present and have its declared kind. */
export function requireFields(input: unknown, wanted: Readonly<Record<string, keyof typeof kinds>>): void {
  const given = fieldsOf(input)
  const fields = Object.entries(wanted)
  if (fields.every(([name, kind]) => kinds[kind].fits(given[name]))) return
  throw refusedInput(
    `an object with ${fields.map(([name, kind]) => `${name} (${kinds[kind].description})`).join(', ')}`,
  )
}

/**
 * Returns a value that the previous run passed on. Ignores it in a first run, where it can only come from an operator
 * who copied the input of a continued run.
 */
export function fromPreviousRun<Value>(value: Value | undefined): Value | undefined {
  return workflowInfo().continuedFromExecutionRunId === undefined ? undefined : value
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

const kinds = {
  id: { description: 'a UUID', fits: (value: unknown) => typeof value === 'string' && isUuid(value) },
  month: {
    description: 'a month such as 2026-10',
    fits: (value: unknown) => typeof value === 'string' && parseMonth(value) !== null,
  },
  text: { description: 'a non-empty string', fits: isText },
  count: {
    description: 'a whole number of at least 1',
    fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  },
  number: { description: 'a number', fits: isNumber },
  pauses: {
    description: 'a list of durations of at least 10 ms, in milliseconds',
    fits: (value: unknown) => Array.isArray(value) && value.every(isPause),
  },
} as const
