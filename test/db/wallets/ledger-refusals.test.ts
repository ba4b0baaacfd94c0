// Ledger changes that the database itself refuses from any writer. The tests write as a superuser.
import { expect, test } from '@jest/globals'
import { newId } from '../../../db/id'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import { type AccountKind, topUpPostings } from '../../../domain/wallets/ledger'
import { at, aWallet } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'

const db = useDatabase(4)

interface Entry {
  readonly kind: AccountKind
  readonly amount: bigint
  readonly balance?: bigint
  /** The entry's wallet, if it is not the set's wallet. */
  readonly of?: WalletRow
}

const insertSet = `INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, created_by, created_at)
  VALUES ($1::uuid, $2::uuid, 'direct', $1::uuid::text, 'test', now())`
const insertEntries = `INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
  SELECT $1::uuid, account.id, entry.amount, entry.balance
  FROM unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[]) AS entry (wallet_id, kind, amount, balance)
  JOIN ledger_accounts account ON account.wallet_id = entry.wallet_id AND account.kind = entry.kind`

function direct(text: string, values: readonly unknown[] = []) {
  return db.dataSource.query(text, [...values])
}

function write(wallet: WalletRow, entries: readonly Entry[], id = newId(at)) {
  return direct(`WITH made AS (${insertSet}) ${insertEntries}`, valuesOf(wallet, entries, id))
}

function append(wallet: WalletRow, entries: readonly Entry[], id: string) {
  return direct(`WITH same AS (SELECT $2::uuid) ${insertEntries}`, valuesOf(wallet, entries, id))
}

function valuesOf(wallet: WalletRow, entries: readonly Entry[], id: string): unknown[] {
  const owners = entries.map((entry) => (entry.of ?? wallet).id)
  const kinds = entries.map((entry) => entry.kind)
  const amounts = entries.map((entry) => entry.amount)
  return [id, wallet.id, owners, kinds, amounts, entries.map((entry) => entry.balance ?? null)]
}

async function aWalletWith100(): Promise<WalletRow> {
  const wallet = await aWallet(db)
  const set = { walletId: wallet.id, cause: 'top_up', causeRef: 'opening', payoutId: null, createdBy: 'test', at }
  await postSet(db, { ...set, postings: topUpPostings(100n) })
  return wallet
}

async function balanceOf(wallet: WalletRow): Promise<bigint | undefined> {
  return (await findWallet(db, wallet.partnerId, wallet.environment))?.balanceMicroUsdc
}

test('a complete and valid set is accepted, and updates its wallet’s balance', async () => {
  const wallet = await aWalletWith100()

  await write(wallet, [
    { kind: 'wallet', amount: -10n, balance: 90n },
    { kind: 'in_transit', amount: 10n },
  ])

  expect(await balanceOf(wallet)).toBe(90n)
})

test.each([
  'UPDATE ledger_entries SET amount_micro_usdc = 1',
  'DELETE FROM ledger_entries',
  'TRUNCATE ledger_entries',
  'UPDATE ledger_sets SET cause = cause',
  'DELETE FROM ledger_sets',
  'TRUNCATE ledger_sets CASCADE',
  `UPDATE ledger_accounts SET kind = 'suspense'`,
  'DELETE FROM ledger_accounts',
])('the database refuses %s', async (text) => {
  await aWalletWith100()

  await expect(direct(text)).rejects.toThrow('is append only')
})

test('the database refuses a wallet balance below zero', async () => {
  const wallet = await aWalletWith100()
  const entries: Entry[] = [
    { kind: 'wallet', amount: -101n, balance: 0n },
    { kind: 'in_transit', amount: 101n },
  ]

  const overdraw = () => direct('UPDATE wallets SET balance_micro_usdc = -1 WHERE id = $1', [wallet.id])
  const overspend = () => write(wallet, entries)

  await expect(overdraw()).rejects.toMatchObject({ code: '23514', constraint: 'wallets_balance_check' })
  await expect(overspend()).rejects.toMatchObject({ code: '23514', constraint: 'wallets_balance_check' })
})

test.each<[string, readonly Entry[], string]>([
  [
    'do not sum to zero',
    [
      { kind: 'wallet', amount: -10n, balance: 90n },
      { kind: 'in_transit', amount: 9n },
    ],
    'must sum to zero',
  ],
  ['have one side only', [{ kind: 'suspense', amount: 5n }], 'must sum to zero'],
  [
    'change the wallet without a balance',
    [
      { kind: 'wallet', amount: -10n },
      { kind: 'in_transit', amount: 10n },
    ],
    'the entry of a wallet, and no other, must carry a balance',
  ],
  [
    'have a balance for another account',
    [
      { kind: 'in_transit', amount: -10n, balance: 90n },
      { kind: 'paid_out', amount: 10n },
    ],
    'the entry of a wallet, and no other, must carry a balance',
  ],
  [
    'have a wrong balance',
    [
      { kind: 'wallet', amount: -10n, balance: 91n },
      { kind: 'in_transit', amount: 10n },
    ],
    'the balance of a wallet must be that of its last entry',
  ],
  [
    'name an account twice',
    [
      { kind: 'wallet', amount: -10n, balance: 90n },
      { kind: 'in_transit', amount: 5n },
      { kind: 'in_transit', amount: 5n },
    ],
    'ledger_entries_set_unique',
  ],
  ['are missing', [], 'a ledger set must have entries'],
])('the database refuses a set whose entries %s', async (_what, entries, message) => {
  const wallet = await aWalletWith100()

  await expect(write(wallet, entries)).rejects.toThrow(message)
  expect(await balanceOf(wallet)).toBe(100n)
})

test('the database refuses a set if some or all of its entries belong to another wallet', async () => {
  const [wallet, other] = [await aWalletWith100(), await aWalletWith100()]

  const between: Entry[] = [
    { kind: 'wallet', amount: -10n, balance: 90n },
    { kind: 'wallet', amount: 10n, balance: 110n, of: other },
  ]
  const elsewhere: Entry[] = [
    { kind: 'wallet', amount: -10n, balance: 90n, of: other },
    { kind: 'in_transit', amount: 10n, of: other },
  ]

  await expect(write(wallet, between)).rejects.toThrow('must stay within its wallet')
  await expect(write(wallet, elsewhere)).rejects.toThrow('must stay within its wallet')
})

test('the database refuses more entries for an existing set, and entries for two sets in one statement', async () => {
  const wallet = await aWalletWith100()
  const [first, second] = [newId(at), newId(at)]
  const entries: Entry[] = [
    { kind: 'in_transit', amount: -10n },
    { kind: 'paid_out', amount: 10n },
  ]
  const others: Entry[] = [
    { kind: 'top_ups', amount: -10n },
    { kind: 'suspense', amount: 10n },
  ]
  await write(wallet, entries, first)

  const later = () => append(wallet, others, first)
  const mixed = () =>
    direct(
      `WITH made AS (${insertSet}) INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc)
      SELECT CASE kind WHEN 'top_ups' THEN $1::uuid ELSE $3::uuid END, id, CASE kind WHEN 'top_ups' THEN -1 ELSE 1 END
      FROM ledger_accounts WHERE wallet_id = $2 AND kind IN ('top_ups', 'suspense')`,
      [second, wallet.id, first],
    )

  await expect(later()).rejects.toThrow('a ledger set must be written at once')
  await expect(mixed()).rejects.toThrow('a statement must write one ledger set')
})

test('the database refuses a balance that no entry explains, for existing and new wallets', async () => {
  const wallet = await aWalletWith100()
  const message = 'the balance of a wallet must be that of its last entry'

  const changed = () => direct('UPDATE wallets SET balance_micro_usdc = 101 WHERE id = $1', [wallet.id])
  const emptied = () => direct('UPDATE wallets SET balance_micro_usdc = 0 WHERE id = $1', [wallet.id])
  const opened = () =>
    direct(
      `INSERT INTO wallets (id, partner_id, environment, rail, balance_micro_usdc, created_at, updated_at)
      VALUES ($1, $2, 'live', 'provider_production', 1, now(), now())`,
      [newId(at), wallet.partnerId],
    )

  for (const refused of [changed, emptied, opened]) await expect(refused()).rejects.toThrow(message)
  expect(await balanceOf(wallet)).toBe(100n)
})

test('post_ledger_set refuses a duplicate account kind and an ID that is already in use', async () => {
  const wallet = await aWalletWith100()
  const id = newId(at)
  const post = (causeRef: string, kinds: readonly string[], amounts: readonly bigint[]) =>
    direct(`SELECT post_ledger_set($1, $2, 'direct', $3, NULL, NULL, 'test', now(), $4, $5)`, [
      wallet.id,
      id,
      causeRef,
      kinds,
      amounts,
    ])

  await expect(post('twice', ['wallet', 'wallet', 'in_transit'], [-20n, 10n, 10n])).rejects.toMatchObject({
    constraint: 'ledger_entries_set_unique',
  })
  await post('once', ['wallet', 'in_transit'], [-10n, 10n])
  await expect(post('again', ['wallet', 'in_transit'], [-10n, 10n])).rejects.toThrow('an id of its own')
  expect(await balanceOf(wallet)).toBe(90n)
})
