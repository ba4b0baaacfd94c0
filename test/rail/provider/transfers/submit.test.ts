// The bytes sent for a transfer, and responses that a well-behaved bank never sends.
import { describe, expect, test } from '@jest/globals'
import type { TransferOrder } from '../../../../rail/rail'
import { aTransferJson, json, useScriptedBank } from '../../../support/bank/scripted'

const order: TransferOrder = {
  payoutId: 'payout-1',
  customerRef: 'cust_1',
  walletRef: 'wallet_1',
  recipientRef: 'ea_1',
  amountPence: 10_000n,
  sendsMicroUsdc: 132_410_000n,
  reference: 'Rechnung für März 2027',
}

const bank = useScriptedBank()

describe('the body of a transfer', () => {
  test('has exactly the expected bytes', () => {
    expect(bank.rail.transferBody(order)).toBe(
      '{"on_behalf_of":"cust_1","client_reference_id":"payout-1","developer_fee":"0.00",' +
        '"source":{"payment_rail":"bridge_wallet","currency":"usdc","bridge_wallet_id":"wallet_1","amount":"132.41"},' +
        '"destination":{"payment_rail":"faster_payments","currency":"gbp","external_account_id":"ea_1","amount":"100.00",' +
        '"reference":"Rechnung fur Marz"}}',
    )
  })

  test('omits a reference without any valid character', () => {
    expect(bank.rail.transferBody({ ...order, reference: '李雷' })).not.toContain('reference":"')
    expect(bank.rail.transferBody({ ...order, reference: null })).toMatch(/"amount":"100.00"}}$/)
  })

  test('is sent to the bank as it was stored', async () => {
    bank.answer((_, response) => json(response, 201, aTransferJson()))

    await submit('first', '{"client_reference_id":  "payout-1"}')

    expect(bank.requests).toMatchObject([
      { body: '{"client_reference_id":  "payout-1"}', headers: { 'idempotency-key': 'k' } },
    ])
  })
})

describe('a response', () => {
  test.each(['first', 'repeat'] as const)('is accepted for a %s call if it contains the transfer', async (call) => {
    bank.answer((_, response) => json(response, 201, aTransferJson()))

    expect(await submit(call)).toMatchObject({ outcome: 'accepted', transfer: { ref: 'tr_1' } })
  })

  test.each([
    ['another payout’s transfer', aTransferJson({ client_reference_id: 'payout-2' })],
    ['a transfer of no payout', aTransferJson({ client_reference_id: null })],
    ['a transfer with an unreadable amount', aTransferJson({ source: { currency: 'usdc', amount: 132.41 } })],
    ['no transfer', {}],
  ])('proves nothing if it contains %s', async (_, body) => {
    bank.answer((_, response) => json(response, 201, body))

    expect(await submit('first')).toEqual({ outcome: 'unknown', cause: 'HTTP 201 unreadable' })
  })

  test.each([
    ['132.40', 'insufficient'],
    ['132.41', 'busy'],
    ['unavailable', 'busy'],
  ])('with status 400 and a wallet balance of %s means %s, based on a new read of the wallet', async (balance, why) => {
    bank.answer(({ method }, response) => {
      if (method === 'POST') return json(response, 400, { code: 'bad_request', message: 'no' }, { 'Retry-After': '1' })
      return json(response, 200, { balances: [{ currency: 'usdc', balance }] })
    })

    expect(await submit('first')).toEqual({
      outcome: 'not-sent',
      why,
      retryAfterMs: 1_000,
      cause: 'HTTP 400 bad_request',
    })
    expect(bank.requests.map(({ path }) => path)).toEqual(['/v0/transfers', '/v0/customers/cust_1/wallets/wallet_1'])
  })

  test('does not cause a retry if it is lost', async () => {
    bank.answer((_, response) => response.destroy())

    expect(await submit('first')).toEqual({ outcome: 'unknown', cause: 'connection reset' })
    expect(bank.requests).toHaveLength(1)
  })
})

test('a transfer reference cannot change the path of the request', async () => {
  bank.answer((_, response) => json(response, 404, { code: 'not_found' }))

  await expect(bank.rail.transfer('../customers/1?x=#')).rejects.toThrow('transfer')

  expect(bank.requests[0]?.path).toBe('/v0/transfers/..%2Fcustomers%2F1%3Fx%3D%23')
})

function submit(call: 'first' | 'repeat', body = bank.rail.transferBody(order)) {
  return bank.rail.submit({ key: 'k', body, call })
}
