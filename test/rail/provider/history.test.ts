// A wallet's history with unreadable movements, and the payout that the bank names for a transfer.
import { expect, test } from '@jest/globals'
import { type HistoryRow, RailUnavailable } from '../../../rail/rail'
import { aTransferJson, json, useScriptedBank } from '../../support/bank/scripted'

const refs = { customerRef: 'cust_1', walletRef: 'wal_1' }
const bank = useScriptedBank()

test.each<[string, object, string, 'deposit' | null]>([
  ['another currency', { currency: 'eurc' }, 'currency', 'deposit'],
  ['an unknown type', { type: 'adjustment' }, 'type', null],
  ['an amount of zero', { amount: '0.000000' }, 'amount', 'deposit'],
  ['a negative amount', { amount: '-5.00' }, 'amount', 'deposit'],
  ['seven decimals', { amount: '5.0000001' }, 'amount', 'deposit'],
  ['an amount that is a number', { amount: 5 }, 'amount', 'deposit'],
  ['an invalid time', { created_at: 'yesterday' }, 'created_at', 'deposit'],
])(
  'a movement with %s is reported as unreadable, and the movements around it are read',
  async (_, change, field, looksLike) => {
    answerHistory([aMovement('mov_3'), aMovement('mov_2', change), aMovement('mov_1')])

    const history = await bank.rail.walletHistory({ ...refs, after: null })

    expect(history.map(({ id, kind }) => [id, kind])).toEqual([
      ['mov_1', 'deposit'],
      ['mov_2', 'unreadable'],
      ['mov_3', 'deposit'],
    ])
    const at = field === 'created_at' ? null : new Date('2027-03-01T11:00:00.000Z')
    expect(history[1]).toEqual({ id: 'mov_2', kind: 'unreadable', field, looksLike, at } satisfies HistoryRow)
  },
)

test('a refund is found despite unreadable movements', async () => {
  const refund = aMovement('mov_1', { amount: '7.00', payment_route: { type: 'transfer', transfer_id: 'tr_1' } })
  answerHistory([aMovement('mov_2', { currency: 'eurc', created_at: 'yesterday' }), refund])

  const since = new Date('2027-03-01T11:00:00.000Z')

  expect(await bank.rail.findRefund({ ...refs, transferRef: 'tr_1', since })).toEqual({
    amountMicroUsdc: 7_000_000n,
    movementRef: 'mov_1',
  })
})

test('a transfer is read with its payout reference, or with null if it has none', async () => {
  bank.answer((_, response) => json(response, 200, aTransferJson()))
  expect(await bank.rail.payoutOf('tr_1')).toBe('payout-1')

  const onRamp = { client_reference_id: null, source: { currency: 'usd' }, destination: { currency: 'usdc' } }
  bank.answer((_, response) => json(response, 200, aTransferJson(onRamp)))
  expect(await bank.rail.payoutOf('tr_1')).toBeNull()
})

test('an unknown transfer has no payout, and any other refusal is an error', async () => {
  bank.answer((_, response) => json(response, 404, { code: 'not_found' }))
  expect(await bank.rail.payoutOf('tr_1')).toBeNull()

  bank.answer((_, response) => json(response, 400, { code: 'not_found' }))
  expect(await bank.rail.payoutOf('tr_1')).toBeNull()

  for (const status of [400, 401, 429, 500, 503]) {
    bank.answer((_, response) => json(response, status, { code: 'invalid_parameters' }))
    await expect(bank.rail.payoutOf('tr_1')).rejects.toThrow(RailUnavailable)
  }
})

function answerHistory(rows: readonly { readonly id: string }[]): void {
  bank.answer(({ path }, response) => {
    const after = new URL(path, bank.url).searchParams.get('starting_after')
    const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1
    json(response, 200, { count: rows.length, data: path.includes('/history') ? rows.slice(from) : [] })
  })
}

function aMovement(id: string, change: object = {}) {
  return {
    id,
    bridge_wallet_id: 'wal_1',
    amount: '5.000000',
    available_balance: '5.000000',
    currency: 'usdc',
    type: 'deposit',
    payment_route: { type: 'simulated_deposit', customer_id: 'cust_1' },
    created_at: '2027-03-01T11:00:00.000Z',
    ...change,
  }
}
