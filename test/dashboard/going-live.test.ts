// How the dashboard presents a verification, a refused cancel, a case, and simulated outcomes.
import { describe, expect, test } from '@jest/globals'
import { Refusal, Unreachable } from '../../dashboard/api/call'
import type { BusinessVerification, Compliance, PayoutEvent } from '../../dashboard/api/types'
import { bankViewOf, nextSentence, stepsOf } from '../../dashboard/pages/partners/verification/steps'
import { simulatedReasons } from '../../dashboard/pages/payouts/payout/simulations'
import { adviceFor, cancelFailureOf, titleOf } from '../../dashboard/pages/payouts/payout/texts'
import { whoWords } from '../../dashboard/words'
import { bankReasons, reasons } from '../../rail/reasons'

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

test.each<[BusinessVerification['status'], string | null, string | null, RegExp]>([
  ['in_review', 'under_review', null, /nothing you need to do/],
  ['in_review', 'under_review', 'https://bank.test/terms', /accept its terms in the meantime/],
  ['action_required', 'approved', 'https://bank.test/terms', /Accept its terms to finish/],
  ['in_review', 'approved', null, /opening your live wallet/],
  ['in_review', 'paused', null, /paused your account/],
  ['approved', 'approved', null, /is verified/],
])('status %s, bank status %s and terms at %s are explained', (status, provider_status, terms_url, sentence) => {
  const rest = { continue_url: 'https://bank.test/kyc', reasons: [], can_start: false }

  expect(nextSentence({ ...rest, status, provider_status, terms_url })).toMatch(sentence)
})

describe('the bank’s view of an application', () => {
  const rest = { continue_url: null, terms_url: null, reasons: [], can_start: false }

  test.each<[BusinessVerification['status'], string | null, Compliance['screening'], string | null, string]>([
    ['not_started', null, 'not_started', null, 'not_started'],
    ['pending', null, 'in_review', null, 'not_started'],
    ['pending', 'not_started', 'in_review', 'not_started', 'not_started'],
    ['action_required', 'incomplete', 'in_review', 'incomplete', 'not_started'],
    ['in_review', 'under_review', 'in_review', 'under_review', 'in_review'],
    ['in_review', 'paused', 'blocked', 'paused', 'blocked'],
    ['rejected', 'rejected', 'blocked', 'rejected', 'blocked'],
    ['rejected', null, 'in_review', null, 'not_started'],
    ['action_required', 'rejected', 'blocked', null, 'not_started'],
    ['approved', 'approved', 'clear', 'approved', 'clear'],
  ])('with status %s, bank status %s and screening %s is %s and %s', (status, provider_status, stored, bank, shown) => {
    const business_verification = { ...rest, status, provider_status }

    expect(bankViewOf({ business_verification, screening: stored })).toEqual({ bankStatus: bank, screening: shown })
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

  test('shows an ordinary error if the session was switched to another partner, or the member lacks permission', () => {
    expect(cancelFailureOf(new Refusal(409, 'invalid_state', 'no', undefined, null)).outcome).toBe('other')
    expect(cancelFailureOf(new Refusal(403, 'api_key_required', 'no', undefined, null)).outcome).toBe('other')
  })
})

test.each([
  [reasons.account_closed, true],
  [reasons.details_refused, true],
  [reasons.bank_refused, true],
  [reasons.recalled, false],
  [reasons.recipient_deceased, false],
  [reasons.quote_expired, false],
  [null, false],
])('a payout that failed with "%s" advises the user to check the bank details: %s', (reason, advises) => {
  expect(adviceFor(reason) !== '').toBe(advises)
})

describe('labels', () => {
  test.each<[PayoutEvent['event'], string, string]>([
    ['case_opened', 'recall', 'Recall requested'],
    ['case_resolved', 'recall: refused', 'Recall resolved: recipient declined'],
    ['case_resolved', 'trace: not_found', 'Trace resolved: payment not located'],
    ['returned', 'account_closed: The account is closed.', 'Returned by the recipient’s bank'],
  ])('%s (%s) has the label "%s"', (event, detail, title) => expect(titleOf({ event, detail })).toBe(title))

  test.each([
    ['ops:grace', 'us'],
    ['bank', 'the bank'],
    ['key:kp_live_4f9a1c02', 'API key kp_live_4f9a1c02'],
    ['ada@acme.test', 'ada@acme.test'],
  ])('%s is shown as %s', (by, shown) => expect(whoWords(by)).toBe(shown))
})

test('every failure reason of the sandbox bank can be chosen', () => {
  expect([...simulatedReasons].toSorted()).toEqual([...bankReasons])
})
