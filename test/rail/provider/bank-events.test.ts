// Events as the bank sends them, received by a test listener and read by the rail.
import { createPublicKey, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { readWebhook } from '../../../rail/provider/webhook'
import { BadSignature } from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import { anOrder, pay, useConnectedPartner } from '../../support/bank/a-connected-partner'
import { type Json, still, until, useSandboxBank } from '../../support/bank/client'

interface Received {
  readonly signature: string | undefined
  readonly rawBody: Buffer
}

const bank = useSandboxBank({ delaysMs: still, fsync: 'off' })
const { rail, partner } = useConnectedPartner(bank)
let listener: Server
let publicKey: string
const received: Received[] = []

beforeAll(async () => {
  listener = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const header = request.headers['x-webhook-signature']
      received.push({ signature: typeof header === 'string' ? header : undefined, rawBody: Buffer.concat(chunks) })
      response.end()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' ? address?.port : 0
  const webhook = await rail.registerWebhook({ url: `http://127.0.0.1:${port}/webhooks/bank`, key: randomUUID() })
  publicKey = webhook.publicKey
})
beforeEach(() => {
  received.length = 0
})
afterAll(async () => {
  listener.closeAllConnections()
  await new Promise((resolve) => listener.close(resolve))
})

test('a transfer event names the transfer and our payout', async () => {
  const order = anOrder(partner)
  const { ref } = await pay(rail, order)

  const events = (await receivedOf(2)).map(read)

  expect(events).toContainEqual({
    outcome: 'event',
    eventId: expect.stringMatching(/^wh_/),
    category: 'transfer',
    objectRef: ref,
    payoutId: order.payoutId,
    state: 'pending',
  })
  expect(events).toContainEqual(
    expect.objectContaining({ category: 'bridge_wallet.activity', objectRef: partner.walletRef }),
  )
})

test.each([
  ['wrongly signed', { kind: 'webhook_bad_signature', times: 2 }],
  ['signed eleven minutes ago', { kind: 'webhook_expired', times: 2 }],
])('an event that is %s is refused', async (_, fault: Json) => {
  await bank.fault(fault)
  await pay(rail, anOrder(partner))

  for (const event of await receivedOf(2)) expect(() => read(event)).toThrow(BadSignature)
})

test('an event with an unknown category is ignored', async () => {
  await bank.fault({ kind: 'webhook_unknown_category', match: { category: 'transfer' } })
  await pay(rail, anOrder(partner))

  expect((await receivedOf(2)).map((each) => read(each).outcome)).toContain('ignored')
})

function receivedOf(count: number): Promise<Received[]> {
  return until(`${count} events`, async () => received.length >= count && received)
}

function read(event: Received) {
  return readWebhook({ ...event, publicKey: createPublicKey(publicKey), clock: systemClock })
}
