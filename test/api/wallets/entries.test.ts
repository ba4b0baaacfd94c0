// GET /v1/wallet/entries and .csv: the statement matches the ledger's balance at every row, across all pages.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import type { PartnerRow } from '../../../db/partners/partners'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import {
  debitPostings,
  floatReversalPostings,
  type Posting,
  refundPostings,
  returnPostings,
  reversePostings,
  topUpPostings,
} from '../../../domain/wallets/ledger'
import { type Answer, useApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow } from '../../support/api/fixtures'

const api = useApi()

let sets = 0

async function post(
  wallet: WalletRow,
  cause: string,
  postings: readonly Posting[],
  { payoutId = null, at = api.clock.now() }: { readonly payoutId?: string | null; readonly at?: Date } = {},
) {
  const set = { walletId: wallet.id, cause, causeRef: `test/${sets++}`, payoutId, createdBy: 'test' }
  return postSet(api.db, { ...set, at, postings })
}

async function aWalletOf(partner: PartnerRow): Promise<WalletRow> {
  const wallet = await findWallet(api.db, partner.id, 'sandbox')
  if (wallet === null) throw new Error('the partner has no wallet')
  return wallet
}

const micro = (text: unknown): bigint => {
  const [, sign, whole, parts = ''] = /^(-?)(\d+)\.(\d{2,6})$/.exec(String(text)) ?? []
  if (whole === undefined) throw new Error(`not an amount: ${String(text)}`)
  return BigInt(`${sign}${whole}${parts.padEnd(6, '0')}`)
}

async function allPages(key: string, limit: number): Promise<NonNullable<Answer['body']['data']>> {
  const rows: Readonly<Record<string, unknown>>[] = []
  for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
    const after: string = cursor === null ? '' : `&starting_after=${cursor}`
    const { body } = await api.get(`/v1/wallet/entries?limit=${limit}${after}`, { key })
    rows.push(...(body.data ?? []))
    cursor = body.next_cursor ?? undefined
  }
  return rows
}

const anyMove = fc.record({
  what: fc.constantFrom('top_up', 'deposit', 'debit', 'refund', 'other'),
  amount: fc.bigInt(1n, 5_000_000_000n),
})

test('each row’s balance is the previous balance plus its amount, and the last one is the ledger’s balance', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMove, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 9 }),
      async (moves, limit) => {
        const partner = await aPartner(api)
        const key = await aKey(api, partner, 'sandbox')
        const wallet = await aWalletOf(partner)
        for (const { what, amount } of moves) {
          if (what === 'debit') await post(wallet, what, debitPostings(amount))
          else if (what === 'refund') await post(wallet, what, refundPostings(amount + 7n, amount))
          else await post(wallet, what, topUpPostings(amount))
        }

        const rows = await allPages(key, limit)

        let balance = 0n
        for (const row of rows.toReversed()) {
          balance += micro(row['amount_usdc'])
          expect(micro(row['balance_usdc'])).toBe(balance)
        }
        expect(balance).toBe((await aWalletOf(partner)).balanceMicroUsdc)
        expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
      },
    ),
    { numRuns: 25 },
  )
})

test('each entry shows the reason for its movement in the partner’s terms, newest first', async () => {
  const partner = await aPartner(api)
  const wallet = await aWalletOf(partner)
  const key = await aKey(api, partner, 'sandbox')
  const failed = await aPayoutRow(api, partner, { status: 'failed', account: '12340008' })
  const returned = await aPayoutRow(api, partner, { status: 'returned', account: '12340009' })
  const released = await aPayoutRow(api, partner, {
    status: 'pending',
    verdict: 'payout_not_created',
    releasedAt: new Date(),
  })
  await post(wallet, 'debit', debitPostings(153_300_000n), { payoutId: failed.id })
  await post(wallet, 'refund', refundPostings(153_300_000n, 153_299_999n), { payoutId: failed.id })
  await post(wallet, 'debit', debitPostings(100_000_000n), { payoutId: returned.id })
  await post(wallet, 'refund', refundPostings(100_000_000n, 100_000_000n), { payoutId: returned.id })
  await post(wallet, 'return', returnPostings(50_000_000n, 50_000_000n), { payoutId: returned.id })
  await post(wallet, 'debit', debitPostings(10_000_000n), { payoutId: released.id })
  await post(wallet, 'reversal', reversePostings(10_000_000n), { payoutId: released.id })
  await post(wallet, 'float_reversal', floatReversalPostings(1_000_000n))

  const { body } = await api.get('/v1/wallet/entries', { key })

  const rows = body.data?.map((row) => [row['kind'], row['amount_usdc'], row['payout_id'], row['description']])
  expect(rows).toEqual([
    ['adjustment', '-1.00', null, 'Test money moved to the sandbox bank'],
    ['refund', '10.00', null, 'Refund: payout not sent'],
    ['payout', '-10.00', null, 'Reserved for a payout'],
    ['return', '50.00', returned.id, 'Refund: payout to Ada Lovelace (••0009)'],
    ['return', '100.00', returned.id, 'Refund: payout to Ada Lovelace (••0009)'],
    ['payout', '-100.00', returned.id, 'Payout to Ada Lovelace (••0009)'],
    ['refund', '153.299999', failed.id, 'Refund: payout to Ada Lovelace (••0008)'],
    ['payout', '-153.30', failed.id, 'Payout to Ada Lovelace (••0008)'],
    ['topup', '10000.00', null, 'Starting test money'],
  ])
})

describe('the list', () => {
  test('shows no rows of another partner or environment, and does not accept them as cursors', async () => {
    const [mine, theirs] = [await aPartner(api), await aPartner(api)]
    const [key, live] = [await aKey(api, mine, 'sandbox'), await aKey(api, mine, 'live')]
    const other = await api.get('/v1/wallet/entries', { key: await aKey(api, theirs, 'sandbox') })
    const own = await api.get('/v1/wallet/entries', { key })
    const foreign = String(other.body.data?.[0]?.['id'])

    const refused = await api.get(`/v1/wallet/entries?starting_after=${foreign}`, { key })
    const crossed = await api.get(`/v1/wallet/entries?starting_after=${String(own.body.data?.[0]?.['id'])}`, {
      key: live,
    })

    expect([refused.status, crossed.status]).toEqual([422, 422])
    expect(own.body.data?.map(({ id }) => id)).not.toContain(foreign)
    expect((await api.get('/v1/wallet/entries', { key: live })).body.data).toEqual([])
  })

  test.each(['created_after=yesterday', 'limit=0', 'limit=201', 'kind=deposit', 'kind=', 'type=topup'])(
    'answers %s with 422',
    async (query) => {
      const key = await aKey(api, await aPartner(api), 'sandbox')

      expect((await api.get(`/v1/wallet/entries?${query}`, { key })).status).toBe(422)
    },
  )
})

test('the CSV has the rows of the list, with amounts as numbers and no name that runs as a formula', async () => {
  const partner = await aPartner(api)
  const wallet = await aWalletOf(partner)
  const key = await aKey(api, partner, 'sandbox')
  const row = await aPayoutRow(api, partner, { recipientName: '=HYPERLINK("http://evil.test")' })
  await post(wallet, 'debit', debitPostings(153_300_000n), { payoutId: row.id })

  const { status, bytes, headers } = await api.get('/v1/wallet/entries.csv', { key })

  const lines = bytes.toString('utf8').split('\r\n')
  expect([status, headers.get('Content-Disposition')]).toEqual([
    200,
    expect.stringMatching(/^attachment; filename="wallet-sandbox-\d{4}-\d\d-\d\d\.csv"$/),
  ])
  expect(lines[0]).toBe('\uFEFFid,at,kind,amount_usdc,balance_usdc,payout_id,description')
  expect(lines[1]).toContain(`,payout,-153.30,9846.70,${row.id},"Payout to =HYPERLINK(""http://evil.test"")`)
  expect(lines).toHaveLength(4)
})

test('a statement that needs several reads has each row once, and can be limited to a period', async () => {
  const partner = await aPartner(api)
  const wallet = await aWalletOf(partner)
  const key = await aKey(api, partner, 'sandbox')
  for (let made = 0; made < 1_001; made++) await post(wallet, 'deposit', topUpPostings(10_000n))

  const { bytes } = await api.get('/v1/wallet/entries.csv', { key })
  const nothing = await api.get('/v1/wallet/entries.csv?created_before=2020-01-01T00:00:00Z', { key })
  const recent = await api.get('/v1/wallet/entries?created_after=2020-01-01T00:00:00Z&limit=2', { key })

  const ids = bytes
    .toString('utf8')
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.slice(0, 36))
  expect([ids.length, new Set(ids).size]).toEqual([1_002, 1_002])
  expect(nothing.bytes.toString('utf8').trimEnd().split('\r\n')).toHaveLength(1)
  expect(recent.body.data).toHaveLength(2)
})

test('kind selects the same rows in the list and the CSV, across pages', async () => {
  const partner = await aPartner(api)
  const wallet = await aWalletOf(partner)
  const key = await aKey(api, partner, 'sandbox')
  const failed = await aPayoutRow(api, partner, { status: 'failed' })
  const returned = await aPayoutRow(api, partner, { status: 'returned' })
  for (const { id } of [failed, returned]) {
    await post(wallet, 'debit', debitPostings(1_000_000n), { payoutId: id })
    await post(wallet, 'refund', refundPostings(1_000_000n, 1_000_000n), { payoutId: id })
  }
  await post(wallet, 'deposit', topUpPostings(2_000_000n))
  const kinds = async (query: string) =>
    (await api.get(`/v1/wallet/entries?${query}`, { key })).body.data?.map(({ kind }) => kind)

  expect(await kinds('limit=200')).toEqual(['topup', 'return', 'payout', 'refund', 'payout', 'topup'])
  expect(await kinds('kind=payout')).toEqual(['payout', 'payout'])
  expect(await kinds('kind=refund,return')).toEqual(['return', 'refund'])
  expect(await kinds('kind=topup&limit=1')).toEqual(['topup'])
  expect(await kinds('kind=adjustment')).toEqual([])
  const { body } = await api.get('/v1/wallet/entries?kind=payout&limit=1', { key })
  expect(await kinds(`kind=payout&starting_after=${body.next_cursor}`)).toEqual(['payout'])
  const { bytes } = await api.get('/v1/wallet/entries.csv?kind=return', { key })
  expect(bytes.toString('utf8').trimEnd().split('\r\n').slice(1)).toEqual([expect.stringContaining(',return,')])
})

describe('the balances of a period', () => {
  const anyTimes = fc.array(
    fc.record({ hours: fc.integer({ min: 1, max: 40 }), amount: fc.bigInt(1n, 5_000_000_000n) }),
    { maxLength: 12 },
  )
  const bound = fc.option(fc.integer({ min: 0, max: 41 }), { nil: null })

  test('differ by the sum of its entries, and without bounds are 0 and the current balance', async () => {
    const start = api.clock.now().getTime()
    const hour = (hours: number) => new Date(start + hours * 3_600_000)
    await fc.assert(
      fc.asyncProperty(anyTimes, bound, bound, async (moves, first, last) => {
        const partner = await aPartner(api)
        const key = await aKey(api, partner, 'sandbox')
        const wallet = await aWalletOf(partner)
        for (const { hours, amount } of moves.toSorted((one, other) => one.hours - other.hours))
          await post(wallet, 'deposit', topUpPostings(amount), { at: hour(hours) })
        const period = [
          ...(first === null ? [] : [`created_after=${hour(first).toISOString()}`]),
          ...(last === null || last < (first ?? 0) ? [] : [`created_before=${hour(last).toISOString()}`]),
        ].join('&')

        const { body } = await api.get(`/v1/wallet/balances?${period}`, { key })
        const { body: entries } = await api.get(`/v1/wallet/entries?limit=200&${period}`, { key })

        const [opening, closing] = [micro(body['opening_balance_usdc']), micro(body['closing_balance_usdc'])]
        const sum = (entries.data ?? []).reduce((total, row) => total + micro(row['amount_usdc']), 0n)
        const { balanceMicroUsdc: current } = await aWalletOf(partner)
        expect(closing - opening).toBe(sum)
        expect([opening, closing]).toEqual([
          first === null ? 0n : opening,
          period.includes('created_before') ? closing : current,
        ])
      }),
      { numRuns: 25 },
    )
  })

  test('are those of the caller’s own wallet and environment', async () => {
    const partner = await aPartner(api)
    await post(await aWalletOf(partner), 'deposit', topUpPostings(7_000_000n))
    const balancesOf = async (key: string) => (await api.get('/v1/wallet/balances', { key })).body

    const balances = { object: 'wallet_balances', opening_balance_usdc: '0.00' }
    expect(await balancesOf(await aKey(api, partner, 'sandbox'))).toEqual({
      ...balances,
      closing_balance_usdc: '10007.00',
    })
    expect(await balancesOf(await aKey(api, partner, 'live'))).toEqual({ ...balances, closing_balance_usdc: '0.00' })
    expect(await balancesOf(await aKey(api, await aPartner(api), 'sandbox'))).toEqual({
      ...balances,
      closing_balance_usdc: '10000.00',
    })
    expect((await api.get('/v1/wallet/balances?kind=topup', { key: await aKey(api, partner, 'sandbox') })).status).toBe(
      422,
    )
  })
})
