// The lookup of a payout's transfer among rows that are unreadable or belong to no payout.
import { describe, expect, test } from '@jest/globals'
import { RailRefused, RailUnavailable } from '../../../../rail/rail'
import { aTransferJson, json, type ScriptedBank, useScriptedBank } from '../../../support/bank/scripted'

type Row = Record<string, unknown>

const refs = { customerRef: 'cust_1', walletRef: 'wal_1' }
const since = new Date('2027-03-01T11:00:00.000Z')
const longAgo = '2027-01-01T00:00:00.000Z'
const ours = aTransferJson({ id: 'tr_ours' })
const unreadableAmount = { source: { payment_rail: 'bridge_wallet', currency: 'usdc', amount: null } }
const bank = useScriptedBank()

const foreign: [string, Row][] = [
  ['a wire', { destination: { payment_rail: 'wire', currency: 'usd' } }],
  ['an on-chain withdrawal', { destination: { payment_rail: 'base', currency: 'usdc' } }],
  ['a transfer in another source currency', { source: { currency: 'eurc', amount: null } }],
  ['a manually created transfer', unreadableAmount],
  ['an unreadable transfer of another payout', { ...unreadableAmount, client_reference_id: 'payout-2' }],
  ['a wire without a readable reference', { client_reference_id: 7, destination: { currency: 'usd' } }],
  ['an unreadable transfer from before the payout', { client_reference_id: 7, created_at: longAgo }],
  ['a transfer without an ID from before the payout', { id: null, created_at: longAgo }],
]

describe.each(foreign)('%s', (_, change) => {
  const row = aTransferJson({ id: 'tr_foreign', client_reference_id: null, ...change })

  test('does not hide our transfer', async () => {
    // The older row comes last, as in every list from the bank.
    answer({ transfers: row.created_at === longAgo ? [ours, row] : [row, ours] })

    expect(await find()).toMatchObject({ outcome: 'found', transfer: { ref: 'tr_ours' } })
  })

  test('does not prevent the proof that our transfer does not exist', async () => {
    const withdrawal = { payment_route: { transfer_id: 'tr_foreign' }, created_at: row.created_at }
    answer({ transfers: [row], history: [aWithdrawal(withdrawal)] })

    expect(await find()).toEqual({ outcome: 'absent' })
  })
})

describe('an unreadable row that may be ours', () => {
  test('makes the lookup incomplete if its payout is unknown', async () => {
    answer({ transfers: [aTransferJson({ client_reference_id: 7 })] })

    expect(await find()).toEqual({ outcome: 'incomplete' })
  })

  test('makes the lookup incomplete when it has no ID', async () => {
    answer({ transfers: [aTransferJson({ id: null })] })

    expect(await find()).toEqual({ outcome: 'incomplete' })
  })

  test('is reported when it names our payout', async () => {
    answer({ transfers: [aTransferJson({ id: 'tr_odd', ...unreadableAmount })] })

    expect(await find()).toEqual({ outcome: 'incomplete', transferRef: 'tr_odd' })
  })

  test('is resolved by reading the transfer itself if the list shows fewer fields', async () => {
    const bare = { id: 'tr_bare', created_at: '2027-03-01T11:59:59.000Z' }
    answer({ transfers: [bare], alone: { tr_bare: aTransferJson({ id: 'tr_bare' }) } })
    expect(await find()).toMatchObject({ outcome: 'found', transfer: { ref: 'tr_bare' } })

    answer({ transfers: [bare], alone: { tr_bare: aTransferJson({ client_reference_id: 'payout-2' }) } })
    expect(await find()).toEqual({ outcome: 'absent' })

    const named = { ...bare, client_reference_id: 'payout-1' }
    answer({ transfers: [named], alone: { tr_bare: aTransferJson({ id: 'tr_bare' }) } })
    expect(await find()).toMatchObject({ outcome: 'found', transfer: { ref: 'tr_bare' } })
  })
})

describe('a withdrawal whose transfer is missing from the list', () => {
  const history = [aWithdrawal({ payment_route: { transfer_id: 'tr_2' } })]

  test.each(foreign.slice(0, 7))('is not ours when the transfer is %s', async (_, change) => {
    answer({ history, alone: { tr_2: aTransferJson({ client_reference_id: null, ...change }) } })

    expect(await find()).toEqual({ outcome: 'absent' })
  })

  test('is ours when the transfer names our payout, even after an unreadable withdrawal', async () => {
    const unknown = aWithdrawal({ id: 'mov_9', payment_route: null })
    answer({ history: [unknown, ...history], alone: { tr_2: ours } })

    expect(await find()).toMatchObject({ outcome: 'found', transfer: { ref: 'tr_ours' } })
  })

  test('makes the lookup incomplete when the transfer is unreadable or unknown to the bank', async () => {
    answer({ history, alone: { tr_2: aTransferJson({ client_reference_id: 7 }) } })
    expect(await find()).toEqual({ outcome: 'incomplete' })

    answer({ history, alone: { tr_2: aTransferJson({ id: 'tr_2', ...unreadableAmount }) } })
    expect(await find()).toEqual({ outcome: 'incomplete', transferRef: 'tr_2' })

    answer({ history })
    expect(await find()).toEqual({ outcome: 'incomplete' })
  })
})

test.each<[string, Row, string]>([
  ['is absent with a deposit', { type: 'deposit', amount: '-5' }, 'absent'],
  ['is absent with a withdrawal in another currency', { currency: 'eurc' }, 'absent'],
  ['may exist with a withdrawal without a transfer', { amount: '-5' }, 'incomplete'],
  ['may exist with a movement of an unknown type', { type: 'adjustment' }, 'incomplete'],
  ['may exist with a withdrawal without a currency', { currency: null }, 'incomplete'],
])('a transfer that is not listed %s in the history', async (_, change, outcome) => {
  answer({ history: [aWithdrawal({ payment_route: null, ...change })] })

  expect(await find()).toEqual({ outcome })
})

test('an unusable response makes the lookup incomplete, and a missing response makes the bank unavailable', async () => {
  for (const status of [400, 401, 403, 404]) {
    bank.answer((_, response) => json(response, status, { code: 'not_found' }))
    expect(await find()).toEqual({ outcome: 'incomplete' })
  }
  bank.answer((_, response) => json(response, 200, 'no list'))
  expect(await find()).toEqual({ outcome: 'incomplete' })

  for (const status of [429, 500, 503]) {
    bank.answer((_, response) => json(response, status, {}))
    const refused = find()
    await expect(refused).rejects.toThrow(RailUnavailable)
    await expect(refused).rejects.not.toThrow(RailRefused)
  }
})

test('the lookup is retried after one unusable response', async () => {
  const usual = script({})
  let asked = 0
  bank.answer((request, response) => {
    asked += 1
    return asked === 1 ? json(response, 200, 'no list') : usual(request, response)
  })

  expect(await find()).toEqual({ outcome: 'absent' })
})

function find() {
  return bank.rail.findTransfer({ ...refs, payoutId: 'payout-1', since })
}

interface Books {
  readonly transfers?: readonly Row[]
  readonly history?: readonly Row[]
  /** Responses to reads of single transfers. Any other transfer is returned as in the list. */
  readonly alone?: Readonly<Record<string, Row>>
}

function answer(books: Books): void {
  bank.answer(script(books))
}

function script({ transfers = [], history = [], alone = {} }: Books): Parameters<ScriptedBank['answer']>[0] {
  return ({ path }, response) => {
    const { pathname, searchParams } = new URL(path, bank.url)
    const [, ref] = /\/v0\/transfers\/(.+)$/.exec(pathname) ?? []
    if (ref !== undefined) {
      const transfer = alone[ref] ?? transfers.find(({ id }) => id === ref)
      return transfer === undefined ? json(response, 404, { code: 'not_found' }) : json(response, 200, transfer)
    }
    const rows = pathname.endsWith('/history') ? history : transfers
    const from = rows.findIndex(({ id }) => id === searchParams.get('starting_after')) + 1
    json(response, 200, { count: rows.length, data: searchParams.has('starting_after') ? rows.slice(from) : rows })
  }
}

function aWithdrawal(change: Row = {}): Row {
  return {
    id: 'mov_1',
    bridge_wallet_id: 'wal_1',
    amount: '132.410000',
    available_balance: '5.000000',
    currency: 'usdc',
    type: 'withdrawal',
    payment_route: { type: 'transfer', customer_id: 'cust_1', transfer_id: 'tr_1' },
    created_at: '2027-03-01T12:00:00.000Z',
    ...change,
  }
}
