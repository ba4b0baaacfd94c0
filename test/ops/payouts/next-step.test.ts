// Every attention code has a runbook step.
import { describe, expect, test } from '@jest/globals'
import { nextStepFor } from '../../../ops/payouts/next-step'
import { read, sourceFiles } from '../../support/source-imports'

/** Possible endings of a code: a bank state, or the reason that the transfer was not sent. */
const endings = (expression: string) => (/\bwhy$/.test(expression) ? ['insufficient', 'misconfigured'] : ['some_state'])

const raised = sourceFiles()
  .filter((file) => file.endsWith('.ts') && !file.startsWith('test/'))
  .flatMap((file) => reasonsIn(read(file)).map((reason) => [reason, file] as const))

/** Codes in the source: in calls that set the attention, and in SQL statements that set or compare it. */
function reasonsIn(file: string): string[] {
  // Removes SQL fragments that only name a column.
  const source = file.replaceAll(/\bsql`[a-z.]+`/g, '')
  const calls = [...source.matchAll(/\w+Attention\(([^)]*)\)/g)].map(([, given = '']) => given)
  const statements = [...source.matchAll(/attention\s+(?:=|IN) \(?((?:'|CASE )[^)\n]*)/g)].map(
    ([, given = '']) => given,
  )
  const matches = [...calls, ...statements].flatMap((text) => [...text.matchAll(/'([a-z_]+)'|`([^`]+)`/g)])
  return matches.flatMap(([, plain, template]) => (plain === undefined ? expand(template ?? '') : [plain]))
}

function expand(template: string): string[] {
  const [, start = '', expression = ''] = /^([a-z_]*)\$\{([^}]*)\}$/.exec(template) ?? []
  return endings(expression.replace(/ \?\?.*$/, '')).map((ending) => start + ending)
}

describe('an attention code', () => {
  test('is found in the source', () => {
    const reasons = new Set(raised.map(([reason]) => reason))

    expect([...reasons]).toEqual(
      expect.arrayContaining([
        'outcome_unknown',
        'settlement_overdue',
        'bank_insufficient',
        'bank_says_some_state',
        'bank_contradicts_some_state',
      ]),
    )
  })

  test.each(raised)('%s (%s) has a runbook step', (reason) => {
    expect(nextStepFor(reason)).not.toBeNull()
  })

  test('has its own step for each bank state that operators handle differently', () => {
    const states = ['error', 'underfunded', 'refund_failed', 'kyc_required', 'missing_return_policy', 'levitating']
    const steps = states.map((state) => nextStepFor(`bank_says_${state}`))

    expect(new Set(steps).size).toBe(states.length)
    expect(steps).not.toContain(null)
    expect(steps[1]).toContain('additional_funding_instructions.amount')
  })

  test('has no step if it is unknown', () => {
    expect(nextStepFor('outcome')).toBeNull()
  })
})
