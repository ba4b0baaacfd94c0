// A replay of a finished payout needs only its row: the API does not call Temporal.
import { createServer, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { readPayoutRequest } from '../../../../api/payouts/request/order'
import { fingerprintOf } from '../../../../db/payouts/fingerprint'
import { portOf, startApi, testKeyring } from '../../../support/api/client'
import { aKey, aPartner, aPayoutRow } from '../../../support/api/fixtures'
import { aRequest } from '../../../support/api/payout-world'

test('is 200 while Temporal accepts connections and never answers, and opens no connection to it', async () => {
  const connections: Socket[] = []
  const temporal = createServer((socket) => connections.push(socket))
  await new Promise<void>((resolve) => temporal.listen(0, '127.0.0.1', resolve))
  const api = await startApi({ temporalAddress: `127.0.0.1:${portOf(temporal.address())}` })
  const request = aRequest()
  const { whole, keyId, fields } = fingerprintOf(testKeyring, readPayoutRequest(request).fields)
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const stored = { fingerprint: whole, fingerprintKeyId: keyId, fieldFingerprints: fields }
  const { id, idempotencyKey } = await aPayoutRow(api, partner, stored)

  const headers = { 'Idempotency-Key': idempotencyKey }
  const { status, body, ...answer } = await api.post('/v1/payouts', request, { key, headers })

  await api.close()
  for (const socket of connections) socket.destroy()
  temporal.close()
  expect([status, answer.headers.get('Idempotent-Replayed'), body['id']]).toEqual([200, 'true', id])
  expect(connections.length).toBe(0)
})
