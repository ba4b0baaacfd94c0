// The log line of a request about a payout contains the payout's ID.
import { expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow } from '../../support/api/fixtures'
import { keptLog } from '../../support/kept-logs'

const lines: Record<string, unknown>[] = []
const log = keptLog({ level: 'info', write: (line) => void lines.push(JSON.parse(line)) })
const api = useApi({ log })

test('a request about a payout logs the payout’s ID, and other requests log none', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const { id } = await aPayoutRow(api, partner)

  const { headers } = await api.get(`/v1/payouts/${id}`, { key })
  await api.get('/v1/account', { key })

  const [about, other] = lines.filter(({ msg }) => msg === 'request')
  expect(about).toMatchObject({ route: '/v1/payouts/:id', payout_id: id, request_id: headers.get('X-Request-Id') })
  expect(other).not.toHaveProperty('payout_id')
})
