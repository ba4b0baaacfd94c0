// The ledger's three tables: accounts, and append-only sets of entries that move money between them.
import type { AccountKind } from '../../domain/wallets/ledger'
import { bigint, entity, id, idOf, orNull, sequence, text, time, withDefault } from '../columns'

interface LedgerAccountRow {
  readonly id: string
  readonly walletId: string
  readonly kind: AccountKind
  readonly currency: 'USDC'
}

interface LedgerSetRow {
  readonly id: string
  readonly walletId: string
  readonly cause: string
  readonly causeRef: string
  readonly payoutId: string | null
  /** The bank's ID for the movement. Null for a set without a movement at the bank. */
  readonly bankRef: string | null
  readonly createdBy: string
  readonly createdAt: Date
}

interface LedgerEntryRow {
  readonly id: bigint
  readonly setId: string
  readonly accountId: string
  readonly amountMicroUsdc: bigint
  /** The wallet's balance after this entry. Null for the other accounts. */
  readonly balanceMicroUsdc: bigint | null
}

export const ledgerAccount = entity<LedgerAccountRow>('LedgerAccount', 'ledger_accounts', {
  id,
  walletId: idOf('Wallet'),
  kind: text,
  currency: withDefault(text, 'USDC'),
})

export const ledgerSet = entity<LedgerSetRow>('LedgerSet', 'ledger_sets', {
  id,
  walletId: idOf('Wallet'),
  cause: text,
  causeRef: text,
  payoutId: orNull(idOf('Payout')),
  bankRef: orNull(text),
  createdBy: text,
  createdAt: time,
})

export const ledgerEntry = entity<LedgerEntryRow>('LedgerEntry', 'ledger_entries', {
  id: sequence,
  setId: idOf('LedgerSet'),
  accountId: idOf('LedgerAccount'),
  amountMicroUsdc: bigint,
  balanceMicroUsdc: orNull(bigint),
})
