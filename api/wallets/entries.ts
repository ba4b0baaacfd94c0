// GET /v1/wallet/entries and .csv: the wallet statement, with the balance after each entry. GET /v1/wallet/balances:
// the balances at the start and the end of a period.
import { type Static, Type } from 'typebox'
import {
  balanceBefore,
  type EntryFilters,
  entryKinds,
  hasWalletEntry,
  listWalletEntries as listEntryRows,
  type WalletEntryRow,
} from '../../db/wallets/entries'
import { formatUsdcExactly } from '../../domain/money'
import { londonDayOf } from '../../domain/month'
import type { ApiDeps } from '../deps'
import { csvReply, csvShape } from '../http/csv-export'
import { listShape, PageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, ok, type Reply, scopeOf } from '../http/route'
import {
  Component,
  Constant,
  DateTime,
  environmentQuery,
  Instant,
  Nullable,
  OneOf,
  Pattern,
  SeveralOf,
  Strict,
  severalIn,
  Uuid,
} from '../http/schema'
import { historyChecks } from '../http/steps'

const exactUsdc = String.raw`\d+\.\d{2,6}$`

const WalletEntry = Component('WalletEntry', {
  id: Uuid(),
  at: DateTime(),
  kind: OneOf(entryKinds, {
    description:
      'topup: money was added. payout: a payout was debited. refund: the money of a payout that was not paid was returned to the wallet. ' +
      'return: the recipient’s bank returned the money. adjustment: anything else.',
  }),
  amount_usdc: Pattern(`^-?${exactUsdc}`, {
    description: 'The amount that was added or, if negative, deducted. Exact, with two to six decimals.',
  }),
  balance_usdc: Pattern(`^${exactUsdc}`, { description: 'The balance after the entry, exact.' }),
  payout_id: Nullable(
    Uuid({
      description:
        'Null if the entry has no payout, or if the payout is not visible, for example because it was never created.',
    }),
  ),
  description: Type.String(),
})

const period = {
  created_after: Type.Optional(Instant({ description: 'Booked at this time or later.' })),
  created_before: Type.Optional(Instant({ description: 'Booked before this time.' })),
}
const filters = {
  ...period,
  kind: Type.Optional(
    SeveralOf(entryKinds, { description: 'One kind, or several separated by commas, such as refund,return.' }),
  ),
}

const ListQuery = PageQuery(filters)
const CsvQuery = Strict({ ...environmentQuery, ...filters })

export const listWalletEntriesRoute = get('/v1/wallet/entries', 'listWalletEntries', {
  steps: [...historyChecks('wallet.statement', { by: 'key', partner: 'any' }, { query: ListQuery }), listWalletEntries],
  summary: 'List wallet transactions',
  description: 'Every top-up, debit and refund, newest first. The amounts are exact, so they add up to the balance.',
  reply: listShape('A page of transactions, newest first.', WalletEntry, [
    {
      id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a57',
      at: '2026-11-16T09:30:00.000Z',
      kind: 'payout',
      amount_usdc: '-153.30',
      balance_usdc: '9846.70',
      payout_id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
      description: 'Payout to Ada Lovelace (••0008)',
    },
  ]),
  errors: ['invalid_request'],
})

async function listWalletEntries(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const query = queryOf<typeof ListQuery>(request)
  const scope = scopeOf(request)
  return pageReply(query, {
    find: (id) => hasWalletEntry(db, scope, id),
    read: (page) => listEntryRows(db, scope, filtersOf(query), page),
    cursorOf: ({ id }) => id,
    present: presentEntry,
  })
}

export const exportWalletEntriesRoute = get('/v1/wallet/entries.csv', 'exportWalletEntries', {
  steps: [...historyChecks('wallet.export', { by: 'key', partner: 'any' }, { query: CsvQuery }), exportWalletEntries],
  summary: 'Export wallet transactions as CSV',
  description: 'All transactions that the filters match, newest first, without pages.',
  reply: csvShape,
  errors: ['invalid_request'],
})

async function exportWalletEntries(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
  const filters = filtersOf(queryOf<typeof CsvQuery>(request))
  return csvReply<WalletEntryRow>({
    fileName: `wallet-${request.caller.environment}-${londonDayOf(clock.now())}`,
    columns: ['id', 'at', 'kind', 'amount_usdc', 'balance_usdc', 'payout_id', 'description'],
    read: (page) => listEntryRows(db, scopeOf(request), filters, page),
    cellsOf: (row) => {
      const { id, at, kind, amount_usdc, balance_usdc, payout_id, description } = presentEntry(row)
      return [id, at, kind, { number: amount_usdc }, { number: balance_usdc }, payout_id ?? '', description]
    },
  })
}

const BalancesQuery = Strict({ ...environmentQuery, ...period })

const WalletBalances = Component('WalletBalances', {
  object: Constant('wallet_balances'),
  opening_balance_usdc: Pattern(`^${exactUsdc}`, {
    description: 'The exact balance just before created_after, or 0.00 if it is omitted.',
  }),
  closing_balance_usdc: Pattern(`^${exactUsdc}`, {
    description: 'The exact balance just before created_before, or the current balance if it is omitted.',
  }),
})

export const getWalletBalancesRoute = get('/v1/wallet/balances', 'getWalletBalances', {
  steps: [
    ...historyChecks('wallet.balances', { by: 'key', partner: 'any' }, { query: BalancesQuery }),
    getWalletBalances,
  ],
  summary: 'Retrieve opening and closing balances',
  description:
    'The balances at the start and the end of a period. The difference is the sum of all wallet transactions in that period.',
  reply: ok('The two balances.', WalletBalances, {
    object: 'wallet_balances',
    opening_balance_usdc: '10000.00',
    closing_balance_usdc: '9846.70',
  }),
  errors: ['invalid_request'],
})

async function getWalletBalances(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const { created_after: after, created_before: before = null } = queryOf<typeof BalancesQuery>(request)
  const scope = scopeOf(request)
  const opening = after === undefined ? 0n : await balanceBefore(db, scope, after)
  const closing = await balanceBefore(db, scope, before)
  const body: Static<typeof WalletBalances> = {
    object: 'wallet_balances',
    opening_balance_usdc: formatUsdcExactly(opening),
    closing_balance_usdc: formatUsdcExactly(closing),
  }
  return { body }
}

function filtersOf({ created_after, created_before, kind }: Static<typeof CsvQuery>): EntryFilters {
  return { createdAfter: created_after, createdBefore: created_before, kinds: severalIn(entryKinds, kind) }
}

function presentEntry(row: WalletEntryRow): Static<typeof WalletEntry> {
  return {
    id: row.id,
    at: row.at.toISOString(),
    kind: row.kind,
    amount_usdc: formatUsdcExactly(row.amountMicroUsdc),
    balance_usdc: formatUsdcExactly(row.balanceMicroUsdc),
    payout_id: row.payoutId,
    description: textOf(row),
  }
}

function textOf(row: WalletEntryRow): string {
  switch (row.cause) {
    case 'float':
      return 'Starting test money'
    case 'top_up':
      return 'Test money'
    case 'deposit':
    case 'held_credit':
      return 'Top-up'
    case 'debit':
      return row.payoutId === null ? 'Reserved for a payout' : `Payout to ${whom(row)}`
    case 'reversal':
      return row.payoutId === null ? 'Refund: payout not sent' : back(row)
    case 'refund':
    case 'return':
      return back(row)
    case 'float_reversal':
      return 'Test money moved to the sandbox bank'
    default:
      return 'Adjustment'
  }
}

function back(row: WalletEntryRow): string {
  return `Refund: payout to ${whom(row)}`
}

function whom({ recipientName, accountLast4 }: WalletEntryRow): string {
  return `${recipientName ?? 'a recipient'} (••${accountLast4 ?? '••••'})`
}
