// The referee of `npm run bench -- compare`: compares what a contender accepted with its rows, its ledger and the bank.
// A contender with a fault scores zero.
import type { Client } from 'pg'

/** The part of the work that a contender does. */
export type Work = 'none' | 'rows' | 'paid'

export interface Records {
  readonly rows: readonly PayoutRow[]
  /** The ledger entries of each payout, added up. */
  readonly entries: readonly PayoutEntries[]
  /** The balance of the wallet, and the balance that follows from the ledger. */
  readonly balance: number
  readonly ledgerBalance: number
  readonly transfers: readonly BankTransfer[]
}

interface PayoutRow {
  readonly id: string
  readonly key: string
  readonly pence: number
  /** The amount that the ledger must debit, in the contender's own unit. */
  readonly debit: number
  readonly transferRef: string | null
}

interface PayoutEntries {
  readonly payoutId: string
  readonly count: number
  readonly sum: number
  readonly debited: number
}

interface BankTransfer {
  readonly id: string
  readonly payoutId: string
  readonly pence: number
}

/** Returns one sentence for each kind of fault. `accepted` are the keys that were answered with 201. */
export function faultsOf(work: Work, accepted: readonly string[], records: Records): string[] {
  if (work === 'none') return []
  const rows = groupBy(records.rows, ({ key }) => key)
  const ours = accepted.flatMap((key) => rows.get(key) ?? [])
  const entries = new Map(records.entries.map((each) => [each.payoutId, each]))
  const isBooked = ({ id, debit }: PayoutRow) => {
    const { count, sum, debited } = entries.get(id) ?? { count: 0, sum: 0, debited: 0 }
    return count === 2 && sum === 0 && debited === debit
  }
  return [
    ...counted(accepted.filter((key) => rows.get(key)?.length !== 1).length, 'accepted keys without exactly one row'),
    ...counted(ours.filter((row) => !isBooked(row)).length, 'payouts whose ledger entries are wrong'),
    ...counted(records.balance - records.ledgerBalance, 'units that wallet and ledger differ by'),
    ...(work === 'paid' ? bankFaults(ours, records) : []),
  ]
}

function bankFaults(ours: readonly PayoutRow[], { rows, transfers }: Records): string[] {
  const known = new Set(rows.map(({ id }) => id))
  const made = groupBy(transfers, ({ payoutId }) => payoutId)
  const isPaidOnce = ({ id, pence, transferRef }: PayoutRow) => {
    const [transfer, ...others] = made.get(id) ?? []
    return transfer?.id === transferRef && transfer?.pence === pence && others.length === 0
  }
  return [
    ...counted(ours.filter((row) => !isPaidOnce(row)).length, 'payouts that the bank did not pay exactly once'),
    ...counted(transfers.filter(({ payoutId }) => !known.has(payoutId)).length, 'transfers without a payout'),
  ]
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group) group.push(value)
    else groups.set(keyOf(value), [value])
  }
  return groups
}

function counted(count: number, fault: string): string[] {
  return count === 0 ? [] : [`${count} ${fault}`]
}

const peerBalance = 1_000_000_000_000

/** The tables of a peer. They hold what our own tables hold for the same work. */
export const peerSchema = `
  CREATE TABLE wallets (id integer PRIMARY KEY, balance_pence bigint NOT NULL CHECK (balance_pence >= 0));
  INSERT INTO wallets VALUES (1, ${peerBalance});
  CREATE TABLE payouts (
    id uuid PRIMARY KEY,
    key text NOT NULL UNIQUE,
    amount_pence bigint NOT NULL CHECK (amount_pence > 0),
    recipient jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending',
    transfer_ref text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    paid_at timestamptz
  );
  CREATE TABLE ledger_entries (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    payout_id uuid NOT NULL REFERENCES payouts (id),
    account text NOT NULL,
    amount_pence bigint NOT NULL CHECK (amount_pence <> 0)
  );
  CREATE INDEX ledger_entries_payout_index ON ledger_entries (payout_id);`

export async function peerRecords(sql: Client, transfers: Records['transfers']): Promise<Records> {
  const rows = await sql.query<PayoutRow>(
    `SELECT id, key, amount_pence::float8 AS pence, amount_pence::float8 AS debit, transfer_ref AS "transferRef" FROM payouts`,
  )
  const entries = await sql.query<PayoutEntries>(
    `SELECT payout_id AS "payoutId", count(*)::int AS count, sum(amount_pence)::float8 AS sum,
        -(sum(amount_pence) FILTER (WHERE account = 'wallet'))::float8 AS debited
      FROM ledger_entries GROUP BY payout_id`,
  )
  const balances = await sql.query<{ balance: number; ledgerBalance: number }>(
    `SELECT balance_pence::float8 AS balance, (${peerBalance} + (SELECT coalesce(sum(amount_pence), 0)
        FROM ledger_entries WHERE account = 'wallet'))::float8 AS "ledgerBalance" FROM wallets`,
  )
  const { balance = Number.NaN, ledgerBalance = Number.NaN } = balances.rows[0] ?? {}
  return { rows: rows.rows, entries: entries.rows, balance, ledgerBalance, transfers }
}

export async function ourRecords(sql: Client, partnerId: string, transfers: Records['transfers']): Promise<Records> {
  const rows = await sql.query<PayoutRow>(
    `SELECT id, idempotency_key AS key, amount_pence::float8 AS pence, wallet_sends_micro_usdc::float8 AS debit,
        transfer_ref AS "transferRef"
      FROM payouts WHERE partner_id = $1 AND environment = 'sandbox'`,
    [partnerId],
  )
  const entries = await sql.query<PayoutEntries>(
    `SELECT payout_id AS "payoutId", count(*)::int AS count, sum(amount_micro_usdc)::float8 AS sum,
        -(sum(amount_micro_usdc) FILTER (WHERE kind = 'wallet'))::float8 AS debited
      FROM ledger_sets JOIN ledger_entries ON set_id = ledger_sets.id JOIN ledger_accounts ON account_id = ledger_accounts.id
      WHERE payout_id IS NOT NULL GROUP BY payout_id`,
  )
  const balances = await sql.query<{ balance: number; ledgerBalance: number }>(
    `SELECT balance_micro_usdc::float8 AS balance, (SELECT sum(amount_micro_usdc) FROM ledger_entries
        JOIN ledger_accounts ON account_id = ledger_accounts.id WHERE wallet_id = wallets.id AND kind = 'wallet')::float8 AS "ledgerBalance"
      FROM wallets WHERE partner_id = $1 AND environment = 'sandbox'`,
    [partnerId],
  )
  const { balance = Number.NaN, ledgerBalance = Number.NaN } = balances.rows[0] ?? {}
  return { rows: rows.rows, entries: entries.rows, balance, ledgerBalance, transfers }
}
