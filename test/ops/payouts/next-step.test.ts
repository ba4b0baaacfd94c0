// Every reason for which a payout may wait for people has a sentence on what to do about it.
import { describe, expect, test } from '@jest/globals'
import { nextStepFor } from '../../../ops/payouts/next-step'
import { read, sourceFiles } from '../../support/source-imports'

/** What the code puts behind the beginning of a reason: the bank's own word, or why it was not sent. */
const endings = (expression: string) => (/\bwhy$/.test(expression) ? ['insufficient', 'misconfigured'] : ['some_state'])

const raised = sourceFiles()
  .filter((file) => file.endsWith('.ts') && !file.startsWith('test/'))
  .flatMap((file) => reasonsIn(read(file)).map((reason) => [reason, file] as const))

/** Reasons as they are written: in calls that ask for attention, and in statements that set or compare it. */
function reasonsIn(source: string): string[] {
  const calls = [...source.matchAll(/\w+Attention\(([^)]*)\)/g)].map(([, given = '']) => given)
  const statements = [...source.matchAll(/attention\s+(?:=|IN) \(?((?:'|CASE )[^)\n]*)/g)].map(
    ([, given = '']) => given,
  )
  const words = [...calls, ...statements].flatMap((text) => [...text.matchAll(/'([a-z_]+)'|`([^`]+)`/g)])
  return words.flatMap(([, plain, template]) => (plain === undefined ? expand(template ?? '') : [plain]))
}

function expand(template: string): string[] {
  const [, start = '', expression = ''] = /^([a-z_]*)\$\{([^}]*)\}$/.exec(template) ?? []
  return endings(expression.replace(/ \?\?.*$/, '')).map((ending) => start + ending)
}

describe('why a payout waits for people', () => {
  test('is found in the code', () => {
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

  test.each(raised)('%s (%s) has its next step', (reason) => {
    expect(nextStepFor(reason)).toMatch(/^[A-Z].*: .*\.$/)
  })

  test('has a sentence of its own for each word of the bank on which people act differently', () => {
    const words = ['error', 'underfunded', 'refund_failed', 'kyc_required', 'missing_return_policy', 'levitating']
    const steps = words.map((word) => nextStepFor(`bank_says_${word}`))

    expect(new Set(steps).size).toBe(words.length)
    for (const step of steps) expect(step).toMatch(/^[A-Z].*: .*\.$/)
    expect(steps[1]).toContain('additional_funding_instructions.amount')
  })

  test('that nobody has written down has none', () => {
    expect(nextStepFor('outcome')).toBeNull()
  })
})
