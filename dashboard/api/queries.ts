// Defines the pages' queries and their cache keys. A key includes the environment if the data depends on it.
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { type CallOptions, call, pathTo, Refusal } from './call'
import type {
  Account,
  Activity,
  ApiKey,
  Balance,
  Case,
  Charge,
  Compliance,
  Environment,
  Invoice,
  List,
  Member,
  Overview,
  Payout,
  PayoutDetails,
  PayoutEvent,
  PayoutTotals,
  PublicPartner,
  Quote,
  RecipientSummary,
  Session,
  Usage,
  UsageMonth,
  WalletBalances,
  WalletEntry,
} from './types'

const largestPage = 200

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call<Session>('GET', '/v1/auth/session', { signal }),
  staleTime: 60_000,
})

export const publicPartnerQuery = (slug: string) =>
  queryOptions({
    queryKey: ['public-partner', slug],
    queryFn: ({ signal }) => call<PublicPartner>('GET', pathTo`/v1/public/partners/${slug}`, { signal }),
    staleTime: 300_000,
  })

export const accountQuery = (environment: Environment) =>
  read<Account>('account', environment, { staleTime: 60_000, refetchInterval: 60_000 })
export const balanceQuery = (environment: Environment) =>
  read<Balance>('balance', environment, { refetchInterval: 15_000 })
export const usageQuery = (environment: Environment) => read<Usage>('usage', environment, { refetchInterval: 60_000 })

/** Polls often while verification is in progress. */
export const complianceQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['compliance', environment],
    queryFn: ({ signal }) => call<Compliance>('GET', '/v1/compliance', { query: { environment }, signal }),
    refetchInterval: ({ state }) => (isBeingVerified(state.data?.business_verification.status ?? '') ? 3_000 : 60_000),
  })

function isBeingVerified(status: string): boolean {
  return status === 'pending' || status === 'action_required' || status === 'in_review'
}

export const usageHistoryQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['usage-history', environment],
    queryFn: ({ signal }) =>
      call<List<UsageMonth>>('GET', '/v1/usage/history', { query: { environment, months: 12 }, signal }),
    refetchInterval: 60_000,
  })

function read<T>(
  name: string,
  environment: Environment,
  options: { staleTime?: number; refetchInterval?: number } = {},
) {
  return queryOptions({
    queryKey: [name, environment],
    queryFn: ({ signal }) => call<T>('GET', `/v1/${name}`, { query: { environment }, signal }),
    ...options,
  })
}

export interface PayoutFilters {
  readonly status?: string | undefined
  readonly q?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
  readonly updated_after?: string | undefined
  readonly amount_min?: string | undefined
  readonly amount_max?: string | undefined
  readonly created_by?: string | undefined
}

export const payoutSorts = ['newest', 'oldest', 'largest', 'smallest'] as const
export type PayoutSort = (typeof payoutSorts)[number]

/** Reads a list page by page. The empty cursor of the first page is omitted from the URL. */
function pages<Item>(path: string, query: NonNullable<CallOptions['query']>) {
  return {
    queryFn: ({ signal, pageParam }: { readonly signal: AbortSignal; readonly pageParam: string }) =>
      call<List<Item>>('GET', path, { query: { ...query, starting_after: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: (last: List<Item>) => last.next_cursor,
  }
}

/** Polls often while a loaded payout is in progress. */
export const payoutsQuery = (environment: Environment, filters: PayoutFilters, sort: PayoutSort) =>
  infiniteQueryOptions({
    queryKey: ['payouts', environment, filters, sort],
    ...pages<Payout>('/v1/payouts', { environment, ...filters, sort, limit: 50 }),
    // A search is expensive, so it does not poll.
    refetchInterval: ({ state }) => {
      if (filters.q) return false
      return state.data?.pages.some(({ data }) => data.some(isInProgress)) ? 3_000 : 20_000
    },
  })

export const payoutTotalsQuery = (environment: Environment, filters: PayoutFilters) =>
  queryOptions({
    queryKey: ['payouts', environment, 'totals', filters],
    queryFn: ({ signal }) =>
      call<PayoutTotals>('GET', '/v1/payouts/totals', { query: { environment, ...filters }, signal }),
    refetchInterval: filters.q ? false : 20_000,
    placeholderData: (before) => before,
    retry: false,
  })

export const latestPayoutsQuery = (environment: Environment, filters: PayoutFilters & { limit: number }) =>
  queryOptions({
    queryKey: ['payouts', environment, 'latest', filters],
    queryFn: ({ signal }) => call<List<Payout>>('GET', '/v1/payouts', { query: { environment, ...filters }, signal }),
    refetchInterval: ({ state }) => {
      // A user who follows the first steps is waiting for the first payout, which should appear within 2 s.
      if (filters.status === undefined && filters.q === undefined && state.data?.data.length === 0) return 1_500
      return state.data?.data.some(isInProgress) ? 3_000 : 20_000
    },
  })

/**
 * Everything on the home page that changes with payouts, in one request, so that the figures agree with each other. The
 * server adds up the month's charges for each request, so this query polls no more often than the usage page.
 */
export const overviewQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['overview', environment],
    queryFn: ({ signal }) => call<Overview>('GET', '/v1/overview', { query: { environment }, signal }),
    // Refetched on each visit, because keys, members and top-ups change on other pages.
    staleTime: 0,
    refetchInterval: 60_000,
  })

export const payoutQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['payout', environment, id],
    queryFn: ({ signal }) => call<Payout>('GET', pathTo`/v1/payouts/${id}`, { query: { environment }, signal }),
    refetchInterval: ({ state }) => {
      if (isNotFound(state.error)) return false
      return state.data && !isInProgress(state.data) ? 30_000 : 1_500
    },
  })

/** Polling stops after a 404, because each further request would replace the error with a skeleton while it runs. */
const isNotFound = (error: Error | null) => error instanceof Refusal && error.status === 404

export const payoutEventsQuery = (environment: Environment, payout: Payout) =>
  queryOptions({
    queryKey: ['payout-events', environment, payout.id, payout.updated_at],
    queryFn: ({ signal }) =>
      call<List<PayoutEvent>>('GET', pathTo`/v1/payouts/${payout.id}/events`, { query: { environment }, signal }),
    placeholderData: (before) => before,
    // Polls, because the refund of a failed payout arrives later, and a case does not change the payout itself.
    refetchInterval: ({ state }) => (isAwaitingMoney(payout, state.data) ? 3_000 : 15_000),
  })

function isAwaitingMoney({ status }: Payout, events: List<PayoutEvent> | undefined): boolean {
  return (status === 'failed' || status === 'returned') && !events?.data.some(isRefund)
}

export const casesQuery = (environment: Environment, payoutId: string) =>
  queryOptions({
    queryKey: ['payout-cases', environment, payoutId],
    queryFn: ({ signal }) =>
      call<List<Case>>('GET', pathTo`/v1/payouts/${payoutId}/cases`, { query: { environment }, signal }),
    refetchInterval: 15_000,
  })

export const payoutDetailsQuery = (environment: Environment, { id, status }: Payout) =>
  queryOptions({
    queryKey: ['payout-details', environment, id, status],
    queryFn: ({ signal }) =>
      call<PayoutDetails>('GET', pathTo`/v1/payouts/${id}/details`, { query: { environment }, signal }),
    placeholderData: (before) => before,
  })

export const isRefund = ({ event }: PayoutEvent) => event === 'refunded'

export function isInProgress({ status }: Pick<Payout, 'status'>): boolean {
  return status === 'pending' || status === 'processing'
}

export const quoteQuery = (environment: Environment, amount: string) =>
  queryOptions({
    queryKey: ['quote', environment, amount],
    queryFn: ({ signal }) =>
      call<Quote>('POST', '/v1/quotes', { query: { environment }, body: { amount_gbp: amount }, signal }),
    staleTime: 20_000,
    retry: false,
  })

export interface Period {
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

export interface WalletFilters extends Period {
  readonly kind?: string | undefined
}

export const walletEntriesQuery = (environment: Environment, filters: WalletFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['wallet-entries', environment, filters],
    ...pages<WalletEntry>('/v1/wallet/entries', { environment, ...filters, limit: 50 }),
    // Polls for top-ups, but not after older pages are loaded.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 20_000),
  })

/** Shares the first part of its key with the entries, so that both are invalidated together. */
export const walletBalancesQuery = (environment: Environment, period: Period) =>
  queryOptions({
    queryKey: ['wallet-entries', environment, 'balances', period],
    queryFn: ({ signal }) =>
      call<WalletBalances>('GET', '/v1/wallet/balances', { query: { environment, ...period }, signal }),
    refetchInterval: 20_000,
  })

export const recipientsQuery = (environment: Environment) =>
  infiniteQueryOptions({
    queryKey: ['recipients', environment],
    ...pages<RecipientSummary>('/v1/recipients', { environment, limit: largestPage }),
  })

/** The largest page holds 16 years of monthly invoices, so the sum of the open invoices is complete. */
export const invoicesQuery = queryOptions({
  queryKey: ['invoices'],
  queryFn: ({ signal }) => call<List<Invoice>>('GET', '/v1/invoices', { query: { limit: largestPage }, signal }),
})

export const invoiceQuery = (id: string) =>
  queryOptions({
    queryKey: ['invoices', id],
    queryFn: ({ signal }) => call<Invoice>('GET', pathTo`/v1/invoices/${id}`, { signal }),
  })

/** The charges of one invoice line. */
export const chargesQuery = (invoiceId: string, line_kind: Charge['line_kind']) =>
  infiniteQueryOptions({
    queryKey: ['charges', invoiceId, line_kind],
    ...pages<Charge>(pathTo`/v1/invoices/${invoiceId}/charges`, { line_kind, limit: 20 }),
  })

/** The first part of the queries' keys below. Invalidating it after a key is created or revoked reloads all of them. */
export const keysQueryKey = ['keys'] as const

/**
 * An environment has at most five active keys, so one page is enough. Revoked keys have their own query, so that they
 * cannot displace an active one.
 */
export const activeKeysQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...keysQueryKey, environment, 'active'],
    queryFn: ({ signal }) =>
      call<List<ApiKey>>('GET', '/v1/keys', { query: { environment, status: 'active' }, signal }),
  })

export const revokedKeysQuery = (environment: Environment) =>
  infiniteQueryOptions({
    queryKey: [...keysQueryKey, environment, 'revoked'],
    ...pages<ApiKey>('/v1/keys', { environment, status: 'revoked', limit: 20 }),
  })

/** The newest keys, active or revoked. */
export const newestKeysQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...keysQueryKey, environment, 'newest'],
    queryFn: ({ signal }) =>
      call<List<ApiKey>>('GET', '/v1/keys', { query: { environment, limit: largestPage }, signal }),
  })

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => call<List<Member>>('GET', '/v1/members', { signal }),
})

/** The query parameters that select each kind. */
const activityKinds = { everything: {}, changes: { changes_only: 'true' }, security: { security_only: 'true' } }
export type ActivityKind = keyof typeof activityKinds

export interface ActivityFilters extends Period {
  /** Shows only this entry. */
  readonly id?: string | undefined
  readonly q?: string | undefined
}

/** The server filters, because a whole page of reads may come before the first change. */
export const activityParams = (kind: ActivityKind, filters: ActivityFilters) => ({ ...activityKinds[kind], ...filters })

export const activityQuery = (kind: ActivityKind, filters: ActivityFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['activity', kind, filters],
    ...pages<Activity>('/v1/activity', activityParams(kind, filters)),
    // Polls only while a single page is loaded, so that older entries do not move while the user reads them. A search
    // is too expensive to poll.
    refetchInterval: ({ state }) => (filters.q || (state.data?.pages.length ?? 0) > 1 ? false : 20_000),
  })

const touched = [
  'overview',
  'payout',
  'payouts',
  'payout-events',
  'payout-cases',
  'balance',
  'wallet-entries',
  'usage',
  'usage-history',
]

/** Reloads all data that depends on a payout's status. */
export async function reloadPayout(queryClient: QueryClient): Promise<void> {
  await Promise.all(touched.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}
