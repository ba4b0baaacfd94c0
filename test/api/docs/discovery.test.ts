// The discovery endpoint: GET / and GET /v1.
import { expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'

const api = useApi({ publicUrl: 'https://payouts.example.com' })

test.each(['/', '/v1'])('%s returns the name, version 1.3.0 and the URL of the documentation', async (path) => {
  const { status, body } = await api.get(path)

  expect(status).toBe(200)
  expect(body).toEqual({ name: 'Payouts', version: '1.3.0', docs: 'https://payouts.example.com/docs' })
})

test('similar paths such as /v1/ and /V1 are not routes', async () => {
  const answers = await Promise.all(['/v1/', '/V1', '/v2'].map((path) => api.get(path)))

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    Array.from({ length: 3 }, () => [404, 'route_not_found']),
  )
})
