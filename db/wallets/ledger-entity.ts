// The ledger's three tables: accounts, and the sets of entries that move money between them, which only ever grow.
import { EntitySchema } from 'typeorm'
import type { AccountKind } from '../../domain/wallets/ledger'
import { bigint, id, idOf, orNull, sequence, text, time, withDefault } from '../columns'

export interface LedgerAccountRow {
  readonly id: string
  readonly walletId: string
  readonly kind: AccountKind
  readonly currency: 'USDC'
}

export interface LedgerSetRow {
  readonly id: string
  readonly walletId: string
  readonly cause: string
  readonly causeRef: string
  readonly payoutId: string | null
  /** The bank's own id of what it did; null for what only we know of. */
  readonly bankRef: string | null
  readonly createdBy: string
  readonly createdAt: Date
}

export interface LedgerEntryRow {
  readonly id: bigint
  readonly setId: string
  readonly accountId: string
  readonly amountMicroUsdc: bigint
  /** The wallet's balance after this entry; null for the other accounts. */
  readonly balanceMicroUsdc: bigint | null
}

export const ledgerAccount = new EntitySchema<LedgerAccountRow>({
  name: 'LedgerAccount',
  tableName: 'ledger_accounts',
  columns: { id, walletId: idOf('Wallet'), kind: text, currency: withDefault(text, 'USDC') },
  uniques: [{ name: 'ledger_accounts_kind_unique', columns: ['walletId', 'kind', 'currency'] }],
  checks: [
    {
      name: 'ledger_accounts_kind_check',
      expression: `kind IN ('wallet', 'in_transit', 'paid_out', 'top_ups', 'exchange_difference', 'suspense')`,
    },
    { name: 'ledger_accounts_currency_check', expression: `currency = 'USDC'` },
  ],
})

export const ledgerSet = new EntitySchema<LedgerSetRow>({
  name: 'LedgerSet',
  tableName: 'ledger_sets',
  columns: {
    id,
    walletId: idOf('Wallet'),
    cause: text,
    causeRef: text,
    payoutId: orNull(idOf('Payout')),
    bankRef: orNull(text),
    createdBy: text,
    createdAt: time,
  },
  uniques: [{ name: 'ledger_sets_cause_unique', columns: ['walletId', 'cause', 'causeRef'] }],
  indices: [
    {
      name: 'ledger_sets_bank_unique',
      columns: ['walletId', 'bankRef'],
      unique: true,
      where: 'bank_ref IS NOT NULL',
    },
    { name: 'ledger_sets_payout_index', columns: ['payoutId'], where: 'payout_id IS NOT NULL' },
    { name: 'ledger_sets_booked_index', columns: ['walletId', 'createdAt'], where: 'bank_ref IS NOT NULL' },
  ],
  checks: [{ name: 'ledger_sets_cause_check', expression: `cause ~ '^[a-z_]+$'` }],
})

export const ledgerEntry = new EntitySchema<LedgerEntryRow>({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  columns: {
    id: sequence,
    setId: idOf('LedgerSet'),
    accountId: idOf('LedgerAccount'),
    amountMicroUsdc: bigint,
    balanceMicroUsdc: orNull(bigint),
  },
  uniques: [{ name: 'ledger_entries_set_unique', columns: ['setId', 'accountId'] }],
  indices: [{ name: 'ledger_entries_account_index', columns: ['accountId', 'id'] }],
  checks: [
    { name: 'ledger_entries_amount_check', expression: 'amount_micro_usdc <> 0' },
    { name: 'ledger_entries_balance_check', expression: 'balance_micro_usdc >= 0' },
  ],
})
