// The ledger posts each set once and never overdraws a wallet.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type Posted, postSet } from '../../../db/wallets/ledger'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import {
  debitPostings,
  type Posting,
  paidOutPostings,
  reversePostings,
  topUpPostings,
} from '../../../domain/wallets/ledger'
import { at, aWallet } from '../../support/db/a-partner'
import { aPayout } from '../../support/db/a-payout'
import { useDatabase } from '../../support/db/database'

const db = useDatabase(20)

function post(wallet: WalletRow, cause: string, causeRef: string, postings: readonly Posting[]) {
  const set = { walletId: wallet.id, cause, causeRef, payoutId: null, createdBy: 'test', at, postings }
  return postSet(db, set)
}

async function aWalletWith(amountMicroUsdc: bigint): Promise<WalletRow> {
  const wallet = await aWallet(db)
  await post(wallet, 'top_up', 'opening', topUpPostings(amountMicroUsdc))
  return wallet
}

async function balanceOf(wallet: WalletRow): Promise<bigint | undefined> {
  return (await findWallet(db, wallet.partnerId, wallet.environment))?.balanceMicroUsdc
}

function entriesOf(walletId: string): Promise<unknown[]> {
  return db.sql`SELECT a.kind, e.amount_micro_usdc AS amount, e.balance_micro_usdc AS balance
    FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id WHERE a.wallet_id = ${walletId} ORDER BY e.id`
}

function count(results: readonly Posted[], outcome: Posted['outcome']): number {
  return results.filter((result) => result.outcome === outcome).length
}

test('a set changes the wallet’s balance, and its entry stores the new balance', async () => {
  const wallet = await aWalletWith(100n)

  const posted = await post(wallet, 'debit', 'p1', debitPostings(30n))

  expect(posted).toEqual({ outcome: 'posted', balanceMicroUsdc: 70n })
  expect(await balanceOf(wallet)).toBe(70n)
  expect(await entriesOf(wallet.id)).toEqual([
    { kind: 'top_ups', amount: -100n, balance: null },
    { kind: 'wallet', amount: 100n, balance: 100n },
    { kind: 'wallet', amount: -30n, balance: 70n },
    { kind: 'in_transit', amount: 30n, balance: null },
  ])
})

test('a set that does not touch the wallet leaves its balance unchanged', async () => {
  const wallet = await aWalletWith(100n)
  await post(wallet, 'debit', 'p1', debitPostings(30n))

  const posted = await post(wallet, 'paid_out', 'p1', paidOutPostings(30n))

  expect(posted).toEqual({ outcome: 'posted', balanceMicroUsdc: 70n })
  expect(await post(wallet, 'paid_out', 'p1', paidOutPostings(30n))).toEqual({ outcome: 'already_posted' })
  expect(await entriesOf(wallet.id)).toHaveLength(6)
})

test('a debit that exceeds the wallet’s balance is refused with that balance, and nothing is written', async () => {
  const wallet = await aWalletWith(100n)

  const refused = await post(wallet, 'debit', 'p1', debitPostings(101n))

  expect(refused).toEqual({ outcome: 'insufficient', balanceMicroUsdc: 100n })
  expect(await entriesOf(wallet.id)).toHaveLength(2)
  expect(await post(wallet, 'debit', 'p1', debitPostings(100n))).toEqual({ outcome: 'posted', balanceMicroUsdc: 0n })
})

test('a duplicate set moves nothing, even if the first one has emptied the wallet', async () => {
  const wallet = await aWalletWith(100n)
  await post(wallet, 'debit', 'p1', debitPostings(100n))

  const repeat = await post(wallet, 'debit', 'p1', debitPostings(100n))

  expect(repeat).toEqual({ outcome: 'already_posted' })
  expect(await balanceOf(wallet)).toBe(0n)
})

test('another cause or another wallet may use the same reference', async () => {
  const wallet = await aWalletWith(100n)
  const other = await aWalletWith(100n)

  const results = [
    await post(wallet, 'debit', 'p1', debitPostings(10n)),
    await post(wallet, 'reverse', 'p1', reversePostings(10n)),
    await post(other, 'debit', 'p1', debitPostings(10n)),
  ]

  expect(count(results, 'posted')).toBe(3)
})

test('one bank movement is booked once per wallet, whatever the cause', async () => {
  const [wallet, other] = [await aWallet(db), await aWallet(db)]
  const book = (walletId: string, cause: string, bankRef: string | null) =>
    postSet(db, {
      walletId,
      cause,
      causeRef: randomUUID(),
      payoutId: null,
      bankRef,
      createdBy: 'test',
      at,
      postings: topUpPostings(10n),
    })

  const results = [
    await book(wallet.id, 'refund', 'history-1'),
    await book(wallet.id, 'deposit', 'history-1'),
    await book(wallet.id, 'deposit', 'history-2'),
    await book(wallet.id, 'deposit', null),
    await book(wallet.id, 'deposit', null),
    await book(other.id, 'deposit', 'history-1'),
  ]

  const outcomes = results.map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['posted', 'already_posted', 'posted', 'posted', 'posted', 'posted'])
  expect(await balanceOf(wallet)).toBe(40n)
})

test('one of 20 parallel bookings of the same bank movement is posted', async () => {
  const wallet = await aWallet(db)

  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      postSet(db, {
        walletId: wallet.id,
        cause: 'deposit',
        causeRef: `d${index}`,
        payoutId: null,
        bankRef: 'history-1',
        createdBy: 'test',
        at,
        postings: topUpPostings(10n),
      }),
    ),
  )

  expect(count(results, 'posted')).toBe(1)
  expect(count(results, 'already_posted')).toBe(19)
  expect(await balanceOf(wallet)).toBe(10n)
})

test('of 4N parallel debits on a wallet that covers N, N are posted, 3N are refused, and the balance is zero', async () => {
  const wallet = await aWalletWith(25n * 1_000n)

  const debits = Array.from({ length: 100 }, (_, index) => post(wallet, 'debit', `p${index}`, debitPostings(1_000n)))
  const results = await Promise.all(debits)

  expect(count(results, 'posted')).toBe(25)
  expect(count(results, 'insufficient')).toBe(75)
  expect(await balanceOf(wallet)).toBe(0n)
})

test.each([
  ['that leaves money in the wallet', 10_000n],
  ['that empties the wallet', 1_000n],
])('of 20 parallel posts of a set %s, one succeeds and 19 report it as already posted', async (_what, holds) => {
  const wallet = await aWalletWith(holds)

  const results = await Promise.all(
    Array.from({ length: 20 }, () => post(wallet, 'debit', 'same', debitPostings(1_000n))),
  )

  expect(count(results, 'posted')).toBe(1)
  expect(count(results, 'already_posted')).toBe(19)
  expect(await balanceOf(wallet)).toBe(holds - 1_000n)
})

test('one of 20 parallel posts of a set that does not touch the wallet succeeds', async () => {
  const wallet = await aWalletWith(1_000n)
  await post(wallet, 'debit', 'p1', debitPostings(1_000n))

  const results = await Promise.all(
    Array.from({ length: 20 }, () => post(wallet, 'paid_out', 'p1', paidOutPostings(1_000n))),
  )

  expect(count(results, 'posted')).toBe(1)
  expect(count(results, 'already_posted')).toBe(19)
})

test('concurrent debits, settlements and new payouts on one wallet all succeed', async () => {
  const wallet = await aWalletWith(1_000_000n)

  const rounds = Array.from({ length: 60 }, (_, index) => [
    post(wallet, 'debit', `p${index}`, debitPostings(1_000n)),
    post(wallet, 'paid_out', `p${index}`, paidOutPostings(1_000n)),
    aPayout(db, {}, wallet),
  ])
  await Promise.all(rounds.flat())

  expect(await balanceOf(wallet)).toBe(940_000n)
})

test('a refusal or a duplicate leaves the surrounding transaction usable', async () => {
  const wallet = await aWalletWith(100n)

  await db.transaction(async (tx) => {
    const on = (causeRef: string, amount: bigint) =>
      postSet(tx, {
        walletId: wallet.id,
        cause: 'debit',
        causeRef,
        payoutId: null,
        createdBy: 'test',
        at,
        postings: debitPostings(amount),
      })
    expect((await on('p1', 1_000n)).outcome).toBe('insufficient')
    expect((await on('p2', 10n)).outcome).toBe('posted')
    expect((await on('p2', 10n)).outcome).toBe('already_posted')
  })

  expect(await balanceOf(wallet)).toBe(90n)
})

test('a set in a transaction that is rolled back is not posted', async () => {
  const wallet = await aWalletWith(100n)

  const undone = db.transaction(async (tx) => {
    await postSet(tx, {
      walletId: wallet.id,
      cause: 'debit',
      causeRef: 'p1',
      payoutId: null,
      createdBy: 'test',
      at,
      postings: debitPostings(60n),
    })
    throw new Error('undone')
  })

  await expect(undone).rejects.toThrow('undone')
  expect(await balanceOf(wallet)).toBe(100n)
  expect((await post(wallet, 'debit', 'p1', debitPostings(60n))).outcome).toBe('posted')
})

test('posting a set that does not balance, or that names an account twice, throws', async () => {
  const wallet = await aWalletWith(100n)
  const unbalanced: Posting[] = [
    { account: 'wallet', amountMicroUsdc: -10n },
    { account: 'in_transit', amountMicroUsdc: 9n },
  ]
  const twice: Posting[] = [
    { account: 'wallet', amountMicroUsdc: -20n },
    { account: 'wallet', amountMicroUsdc: 10n },
    { account: 'in_transit', amountMicroUsdc: 10n },
  ]

  await expect(post(wallet, 'debit', 'p1', unbalanced)).rejects.toThrow('postings must balance')
  await expect(post(wallet, 'debit', 'p1', twice)).rejects.toThrow('each account once')
})

test('posting a set to a wallet that does not exist throws', async () => {
  const wallet = { ...(await aWallet(db)), id: randomUUID() }

  await expect(post(wallet, 'debit', 'p1', debitPostings(1n))).rejects.toMatchObject({ code: '23503' })
  await expect(post(wallet, 'paid_out', 'p1', paidOutPostings(1n))).rejects.toMatchObject({ code: '23503' })
})
