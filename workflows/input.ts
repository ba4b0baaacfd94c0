// What people start by hand may come with any input: what nobody can follow ends the run at once, with a sentence that says what is wanted.
// An error of another kind would only fail the task, which is then tried again for ever.
import { ApplicationFailure } from '@temporalio/workflow'

export const invalidInput = 'InvalidInput'

/** Each must be a whole number from 1 to its greatest. */
export function requireCounts(input: unknown, greatest: Readonly<Record<string, number>>, example: string): void {
  const given: Readonly<Record<string, unknown>> = typeof input === 'object' && input !== null ? { ...input } : {}
  const isRight = Object.entries(greatest).every(([name, most]) => {
    const value = given[name]
    return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
  })
  if (isRight) return
  const ranges = Object.entries(greatest).map(([name, most]) => `${name} from 1 to ${most}`)
  throw refusedInput(`as ${example}, with ${ranges.join(' and ')}`)
}

export function refusedInput(wanted: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`The input must be ${wanted}.`, invalidInput)
}
