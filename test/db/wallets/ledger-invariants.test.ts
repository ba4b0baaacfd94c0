// For any postings in any order, entries sum to zero, and a wallet's balance is the sum of its entries.
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import { type AccountKind, accountKinds, type Posting } from '../../../domain/wallets/ledger'
import { at, aWallet } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'

const db = useDatabase(8)

interface AnySet {
  readonly causeRef: string
  readonly postings: readonly Posting[]
}

// There are few references, so that duplicates occur. The first account gets the remainder, so that every set balances.
const anySet: fc.Arbitrary<AnySet> = fc
  .record({
    causeRef: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'),
    accounts: fc.shuffledSubarray([...accountKinds], { minLength: 2 }),
    amounts: fc.array(fc.bigInt(-1_000n, 1_000n), { minLength: 6, maxLength: 6 }),
  })
  .map(({ causeRef, accounts, amounts }) => ({ causeRef, postings: balanced(accounts, amounts) }))
  .filter(({ postings }) => postings.length >= 2)

function balanced(accounts: readonly AccountKind[], amounts: readonly bigint[]): Posting[] {
  const parts = accounts.map((account, index) => ({ account, amountMicroUsdc: amounts[index] ?? 0n }))
  const others = parts.slice(1)
  const rest = -others.reduce((sum, posting) => sum + posting.amountMicroUsdc, 0n)
  const first = parts.slice(0, 1).map(({ account }) => ({ account, amountMicroUsdc: rest }))
  return [...first, ...others].filter((posting) => posting.amountMicroUsdc !== 0n)
}

function post(wallet: WalletRow, { causeRef, postings }: AnySet) {
  return postSet(db, { walletId: wallet.id, cause: 'any', causeRef, payoutId: null, createdBy: 'test', at, postings })
}

function sumsOf(walletId: string) {
  return db.sql<{
    total: bigint
    wallet: bigint
    sets: bigint
  }>`SELECT coalesce(sum(e.amount_micro_usdc), 0)::bigint AS total,
      coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'wallet'), 0)::bigint AS wallet,
      count(DISTINCT e.set_id) AS sets
    FROM ledger_accounts a JOIN ledger_entries e ON e.account_id = a.id WHERE a.wallet_id = ${walletId}`
}

function runningBalances(walletId: string) {
  return db.sql<{
    carried: bigint
    running: bigint
  }>`SELECT e.balance_micro_usdc AS carried, sum(e.amount_micro_usdc) OVER (ORDER BY e.id)::bigint AS running
    FROM ledger_accounts a JOIN ledger_entries e ON e.account_id = a.id
    WHERE a.wallet_id = ${walletId} AND a.kind = 'wallet' ORDER BY e.id`
}

test('sets posted in sequence have the same effect as in a reference model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anySet, { maxLength: 20 }), async (sets) => {
      const wallet = await aWallet(db)
      const seen = new Set<string>()
      let balance = 0n

      for (const set of sets) {
        const delta = set.postings.find((posting) => posting.account === 'wallet')?.amountMicroUsdc ?? 0n
        const expected = seen.has(set.causeRef) ? 'already_posted' : balance + delta < 0n ? 'insufficient' : 'posted'
        expect((await post(wallet, set)).outcome).toBe(expected)
        if (expected !== 'posted') continue
        seen.add(set.causeRef)
        balance += delta
      }

      expect(await stateOf(wallet)).toEqual({ balance, ...consistent(balance, seen.size) })
    }),
    { numRuns: 40 },
  )
})

test('the ledger remains consistent when sets are posted concurrently', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anySet, { minLength: 8, maxLength: 24 }), async (sets) => {
      const wallet = await aWallet(db)

      const results = await Promise.all(sets.map((set) => post(wallet, set)))

      const posted = results.filter((result) => result.outcome === 'posted').length
      const state = await stateOf(wallet)
      expect(state).toEqual({ balance: state.balance, ...consistent(state.balance, posted) })
    }),
    { numRuns: 25 },
  )
})

function consistent(balance: bigint, sets: number) {
  return { total: 0n, wallet: balance, sets: BigInt(sets), misled: [] }
}

/** Returns the stored balance, the sums of the entries, and the entries whose balance is not the running sum. */
async function stateOf(wallet: WalletRow) {
  const stored = await findWallet(db, wallet.partnerId, wallet.environment)
  const [sum] = await sumsOf(wallet.id)
  const carried = await runningBalances(wallet.id)
  const misled = carried.filter((row) => row.carried !== row.running || row.carried < 0n)
  return { balance: stored?.balanceMicroUsdc ?? -1n, ...sum, misled }
}
