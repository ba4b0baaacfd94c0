// domain/partners/partner.ts: the values that describe a partner.
import { expect, test } from '@jest/globals'
import { memberRoles, partnerStatuses, screenings, verificationStatuses } from '../../../domain/partners/partner'

test('the words are those of the specification and its decisions', () => {
  expect(partnerStatuses).toEqual(['active', 'suspended', 'closed'])
  expect(verificationStatuses.join(' ')).toBe('not_started pending action_required in_review approved rejected')
  expect(screenings).toEqual(['clear', 'in_review', 'blocked'])
  expect(memberRoles).toEqual(['admin', 'viewer'])
})
