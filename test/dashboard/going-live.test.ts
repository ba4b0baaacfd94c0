// How the dashboard presents a verification, a refused cancel, a case, and simulated outcomes.
import { describe, expect, test } from '@jest/globals'
import { Refusal, Unreachable } from '../../dashboard/api/call'
import type { BusinessVerification, PayoutEvent } from '../../dashboard/api/types'
import { stepsOf } from '../../dashboard/pages/partners/verification/steps'
import { cancelFailureOf } from '../../dashboard/pages/payouts/payout/cancel-words'
import { titleOf } from '../../dashboard/pages/payouts/payout/event-words'
import { simulatedReasons } from '../../dashboard/pages/payouts/payout/simulations'
import { whoWords } from '../../dashboard/words'
import { bankReasons } from '../../rail/reasons'

describe('the steps of a verification have the expected states', () => {
  const base = { continue_url: 'https://bank.test/kyc', reasons: [], can_start: false }
  const terms = 'https://bank.test/terms'

  test.each<[BusinessVerification['status'], string | null, string | null, string[]]>([
    ['not_started', null, null, []],
    ['pending', null, null, ['later', 'later', 'later', 'later']],
    ['pending', 'not_started', terms, ['yours', 'yours', 'later', 'later']],
    ['action_required', 'incomplete', null, ['yours', 'done', 'later', 'later']],
    ['in_review', 'under_review', null, ['done', 'done', 'theirs', 'later']],
    ['action_required', 'approved', terms, ['done', 'yours', 'done', 'later']],
    ['in_review', 'approved', null, ['done', 'done', 'done', 'theirs']],
    ['action_required', 'rejected', null, ['yours', 'done', 'later', 'later']],
    ['rejected', 'rejected', null, []],
    ['approved', 'approved', null, ['done', 'done', 'done', 'done']],
  ])('with status %s, bank status %s, terms at %s', (status, provider_status, terms_url, states) => {
    const steps = stepsOf({ ...base, status, provider_status, terms_url })

    expect(steps.map(({ state }) => state)).toEqual(states)
  })
})

describe('a cancel that was answered with an error', () => {
  const conflict = (status: string) => new Refusal(409, 'invalid_state', 'no', { status }, null)

  test.each(['pending', 'processing', 'completed', 'failed', 'returned'])(
    'was too late if the payout is %s',
    (status) => {
      expect(cancelFailureOf(conflict(status)).outcome).toBe('too_late')
    },
  )

  test('has succeeded if the payout is cancelled', () => {
    expect(cancelFailureOf(conflict('cancelled')).outcome).toBe('cancelled')
  })

  test.each([
    ['no worker could decide', new Refusal(503, 'service_unavailable', 'later', undefined, null)],
    ['the answer was lost', new Unreachable(new Error('gone'))],
  ])('is undecided if %s', (_, error) => expect(cancelFailureOf(error).outcome).toBe('undecided'))

  test('has an ordinary error if the session was switched to another partner, or the member has no right', () => {
    expect(cancelFailureOf(new Refusal(409, 'invalid_state', 'no', undefined, null)).outcome).toBe('other')
    expect(cancelFailureOf(new Refusal(403, 'api_key_required', 'no', undefined, null)).outcome).toBe('other')
  })
})

describe('labels', () => {
  test.each<[PayoutEvent['event'], string, string]>([
    ['case_opened', 'recall', 'Recall opened'],
    ['case_resolved', 'recall: refused', 'Recall resolved: recipient declined'],
    ['case_resolved', 'trace: not_found', 'Trace resolved: payment not located'],
    ['returned', 'account_closed: The account is closed.', 'Returned by the recipient’s bank'],
  ])('%s (%s) is %s', (event, detail, title) => expect(titleOf({ event, detail })).toBe(title))

  test.each([
    ['ops:grace', 'us'],
    ['bank', 'the bank'],
    ['key:kp_live_4f9a1c02', 'API key kp_live_4f9a1c02'],
    ['ada@acme.test', 'ada@acme.test'],
  ])('%s is shown as %s', (by, shown) => expect(whoWords(by)).toBe(shown))
})

test('every reason of the sandbox bank can be chosen', () => {
  expect([...simulatedReasons].toSorted()).toEqual([...bankReasons])
})
