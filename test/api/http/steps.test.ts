// The types of a route reject missing steps and a wrong order. `npm run check:types` performs the actual test.
import { expect, test } from '@jest/globals'
import { type ApiRequest, errorsOf, get, post, type Reply, type RouteDocs } from '../../../api/http/route'
import { authenticate, authenticateWith, authorize, limit, openToAnyone, validate } from '../../../api/http/steps'
import { payoutInPath } from '../../../api/payouts/lookups'

const reply = { status: 200, description: 'Done.', schema: {} } as const
const docs: RouteDocs = { summary: 'An example', description: 'It only has to exist.', reply, errors: [] }
const access = authorize('example.read', { by: 'key', partner: 'any' })

async function forCaller(_request: ApiRequest): Promise<Reply> {
  return { body: null }
}

async function forText(_request: ApiRequest<string>): Promise<Reply> {
  return { body: null }
}

test('a route cannot omit a step, reorder its steps or call a handler with the wrong lookup', () => {
  const whole = get('/example', 'example', { ...docs, steps: [authenticate, limit, access, validate(), forCaller] })

  // @ts-expect-error Nothing authorizes the caller.
  get('/example', 'example', { ...docs, steps: [authenticate, limit, validate(), forCaller] })
  // @ts-expect-error Nothing authenticates the caller.
  get('/example', 'example', { ...docs, steps: [limit, access, validate(), forCaller] })
  // @ts-expect-error The rate limit must count the caller before authorization.
  post('/example', 'example', { ...docs, steps: [authenticate, access, limit, validate(), forCaller] })
  // @ts-expect-error An open route has no caller.
  get('/example', 'example', { ...docs, steps: [openToAnyone, validate(), forCaller] })
  // @ts-expect-error The handler expects the result of another lookup.
  get('/example', 'example', { ...docs, steps: [authenticateWith(payoutInPath), limit, access, validate(), forText] })

  expect(errorsOf(whole)).toContain('unauthorized')
})
