// Texts that the dashboard and the emails must have in common.
import { expect, test } from '@jest/globals'
import { switches } from '../../dashboard/pages/partners/settings/texts'
import { outcomeWords } from '../../dashboard/pages/payouts/payout/texts'
import { caseOutcomes } from '../../domain/payouts/case'
import { caseOutcomeWords, switchNames } from '../../mail/messages/notice'

test('Settings shows each switch under the name that the emails use', () => {
  expect(Object.fromEntries(switches.map(([kind, name]) => [kind, name]))).toEqual(switchNames)
})

test.each(caseOutcomes)('the case outcome %s has the same wording in the dashboard and in emails', (outcome) => {
  expect(outcomeWords(outcome)).toBe(caseOutcomeWords[outcome])
})
