// The payout form's conclusion after each failure: it shows "nothing was sent" only if that is certain.
import { describe, expect, test } from '@jest/globals'
import { Refusal, Unreachable } from '../../dashboard/api/call'
import { type Knowledge, knowledgeAfter } from '../../dashboard/pages/payouts/send/outcome'

const refusal = (status: number, code: string) => new Refusal(status, code, 'No.', null, null)
const after = (error: Error, knowledge: Knowledge, isReopened = false) =>
  knowledgeAfter(error, { knowledge, isReopened })

describe('a first attempt', () => {
  test.each([
    refusal(401, 'unauthorized'),
    refusal(402, 'insufficient_funds'),
    refusal(403, 'partner_not_active'),
    refusal(409, 'invalid_state'),
    refusal(422, 'invalid_recipient'),
    refusal(429, 'rate_limited'),
    refusal(502, 'payout_not_created'),
    refusal(502, 'provider_unavailable'),
  ])('that was refused with $status $code has sent nothing', (error) => {
    expect(after(error, 'nothing-sent')).toBe('nothing-sent')
  })

  test.each([
    new Unreachable('lost'),
    refusal(500, 'internal_error'),
    refusal(503, 'service_unavailable'),
    refusal(504, 'unreadable'),
  ])('whose response was lost has an unknown outcome: %s', (error) => {
    expect(after(error, 'nothing-sent')).toBe('unknown')
  })
})

describe('after a lost response', () => {
  test.each([
    refusal(401, 'unauthorized'),
    refusal(403, 'partner_not_active'),
    refusal(409, 'invalid_state'),
    refusal(422, 'invalid_confirm_code'),
    refusal(429, 'rate_limited'),
    refusal(502, 'provider_unavailable'),
  ])('$status $code leaves the outcome unknown', (error) => {
    expect(after(error, 'unknown')).toBe('unknown')
  })

  test.each([
    refusal(402, 'insufficient_funds'),
    refusal(422, 'invalid_recipient'),
    refusal(422, 'idempotency_key_reused'),
    refusal(502, 'payout_not_created'),
  ])('$status $code makes the outcome known', (error) => {
    expect(after(error, 'unknown')).toBe('nothing-sent')
  })

  test('an invalid field in a reopened form does not resolve the earlier attempt', () => {
    expect(after(refusal(422, 'invalid_recipient'), 'unknown', true)).toBe('unknown')
    expect(after(refusal(422, 'idempotency_key_reused'), 'unknown', true)).toBe('nothing-sent')
  })
})
