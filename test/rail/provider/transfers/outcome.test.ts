// The rule table that interprets the response to a submitted transfer: one test per row, and no unused row.
import { describe, expect, test } from '@jest/globals'
import type { Answer } from '../../../../rail/provider/client'
import { firstCallRules, type Ruling, rule, ruleFor } from '../../../../rail/provider/transfers/outcome'

const lost: Answer = { stage: 'sent', cause: new Error('ECONNRESET') }
const unconnected: Answer = { stage: 'unconnected', cause: new Error('ECONNREFUSED') }

function answered(status: number, code?: string, field?: unknown, retryAfterMs: number | null = null): Answer {
  const source = field === undefined ? {} : { source: { location: 'body', key: field } }
  const body = code === undefined ? undefined : { code, message: 'Ada Lovelace 12345678', ...source }
  return { stage: 'answered', status, body, retryAfterMs }
}

const headerTrouble: Answer = {
  stage: 'answered',
  status: 400,
  body: { code: 'required', location: 'header', name: 'Idempotency-Key', message: '' },
  retryAfterMs: null,
}

const first: readonly [string, Answer, string][] = [
  ['a refused connection', unconnected, 'not-sent unavailable'],
  ['a lost response', lost, 'unknown'],
  ['401', answered(401, 'not_allowed'), 'not-sent misconfigured'],
  ['401 from a proxy', answered(401), 'not-sent misconfigured'],
  ['403 developer_limits_exceeded', answered(403, 'developer_limits_exceeded'), 'not-sent misconfigured'],
  ['429', answered(429, undefined, undefined, 2_000), 'not-sent busy'],
  ['400 duplicate_record', answered(400, 'duplicate_record'), 'unknown'],
  ['400 not_truly_idempotent', answered(400, 'not_truly_idempotent'), 'unknown'],
  ['400 for an unknown conflict', answered(400, 'request_conflict'), 'unknown'],
  ['403 missing_required_endorsements', answered(403, 'missing_required_endorsements'), 'rejected partner'],
  ['400 missing_required_endorsements', answered(400, 'missing_required_endorsements'), 'rejected partner'],
  ['400 frozen', answered(400, 'frozen'), 'rejected partner'],
  ['400 has_not_accepted_tos', answered(400, 'has_not_accepted_tos'), 'rejected partner'],
  ['400 requires_active_kyc_status', answered(400, 'requires_active_kyc_status'), 'rejected partner'],
  ['400 invalid_geographic_location', answered(400, 'invalid_geographic_location'), 'rejected partner'],
  ['400 missing_address_data', answered(400, 'missing_address_data'), 'rejected partner'],
  [
    '400 deactivated_external_account',
    answered(400, 'deactivated_external_account', 'destination.external_account_id'),
    'rejected recipient',
  ],
  ['400 on the amount', answered(400, 'invalid_parameters', 'destination.amount'), 'rejected amount'],
  ['400 on the rail', answered(400, 'invalid_parameters', 'destination.payment_rail'), 'not-sent misconfigured'],
  ['400 on the currency', answered(400, 'invalid_parameters', 'destination.currency'), 'not-sent misconfigured'],
  ['400 on the account', answered(400, 'not_found', 'destination.external_account_id'), 'rejected recipient'],
  ['400 on the reference', answered(400, 'invalid_parameters', 'destination.reference'), 'rejected recipient'],
  [
    '400 with an object as its key',
    answered(400, 'invalid_parameters', { 'destination.amount': 'too small' }),
    'rejected amount',
  ],
  ['400 on the customer', answered(400, 'not_found', 'on_behalf_of'), 'not-sent misconfigured'],
  ['400 without a key', headerTrouble, 'not-sent misconfigured'],
  ['400 invalid_json', answered(400, 'invalid_json'), 'not-sent misconfigured'],
  ['400 not_found of the wallet', answered(400, 'not_found', 'source.bridge_wallet_id'), 'not-sent misconfigured'],
  ['400 bad_request', answered(400, 'bad_request'), 'ask-balance'],
  ['400 on the source amount', answered(400, 'invalid_parameters', 'source.amount'), 'ask-balance'],
  ['400 without a bank error code', answered(400), 'unknown'],
  ['403 without a bank error code', answered(403), 'unknown'],
  ['404', answered(404, 'not_found'), 'unknown'],
  ['408', answered(408), 'unknown'],
  ['409', answered(409, 'resource_state_conflict'), 'unknown'],
  ['422', answered(422, 'unprocessable_entity'), 'unknown'],
  ['424', answered(424, 'external_dependency_failed'), 'unknown'],
  ['500', answered(500), 'unknown'],
  ['502', answered(502), 'unknown'],
  ['503 with Retry-After', answered(503, 'external_dependency_failed', undefined, 1_000), 'unknown'],
  ['an unreadable 201', answered(201), 'unknown'],
  ['302', answered(302), 'unknown'],
]

describe('the first call with an idempotency key', () => {
  test.each(first)('has the expected outcome after %s', (_, answer, expected) => {
    expect(inShort(rule('first', answer))).toBe(expected)
  })

  test('covers every row of the rule table with at least one case', () => {
    const met = new Set(first.map(([, answer]) => ruleFor(answer)))

    expect(firstCallRules.filter((row) => !met.has(row))).toEqual([])
  })

  test('has the retry delay of the response', () => {
    expect(rule('first', answered(429, undefined, undefined, 2_000))).toMatchObject({ retryAfterMs: 2_000 })
  })

  test('has no text from the bank’s message in its outcome', () => {
    const outcomes = first.map(([, answer]) => JSON.stringify(rule('first', answer))).join()

    expect(outcomes).not.toMatch(/Ada|12345678/)
  })
})

describe('a repeated call', () => {
  test.each(first)('proves nothing after %s', (_, answer) => {
    expect(rule('repeat', answer).outcome).toBe('unknown')
  })
})

function inShort(ruling: Ruling): string {
  if (ruling.outcome === 'not-sent') return `not-sent ${ruling.why}`
  return ruling.outcome === 'rejected' ? `rejected ${ruling.who}` : ruling.outcome
}
