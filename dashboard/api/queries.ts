// Defines the queries of the pages and their cache keys. Keys include the environment where the data depends on it.
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { now } from '../now'
import { type CallOptions, call, pathTo } from './call'
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
  WalletEntry,
} from './types'

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
}

/** Reads a list page by page. The empty cursor of the first page is omitted from the URL. */
function pages<Item>(path: string, query: NonNullable<CallOptions['query']>) {
  return {
    queryFn: ({ signal, pageParam }: { readonly signal: AbortSignal; readonly pageParam: string }) =>
      call<List<Item>>('GET', path, { query: { ...query, starting_after: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: (last: List<Item>) => last.next_cursor,
  }
}

/** Polls often while a payout is in progress. */
export const payoutsQuery = (environment: Environment, filters: PayoutFilters) =>
  infiniteQueryOptions({
    queryKey: ['payouts', environment, filters],
    ...pages<Payout>('/v1/payouts', { environment, ...filters, limit: 50 }),
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
      // A user who follows the first steps waits for the first payout.
      if (filters.status === undefined && filters.q === undefined && state.data?.data.length === 0) return 2_000
      return state.data?.data.some(isInProgress) ? 3_000 : 20_000
    },
  })

const tooLongMs = 15 * 60 * 1000
/** The server lists the newest first; the largest page is most likely to include the oldest. */
const largestPage = 200

/** Payouts that have been in progress for too long, however old they are. */
export const latePayoutsQuery = (environment: Environment, status: 'pending' | 'processing') =>
  queryOptions({
    queryKey: ['payouts', environment, 'late', status],
    queryFn: ({ signal }) => {
      const created_before = new Date(now().getTime() - tooLongMs).toISOString()
      const query = { environment, status, created_before, limit: largestPage }
      return call<List<Payout>>('GET', '/v1/payouts', { query, signal })
    },
    refetchInterval: 20_000,
  })

export const payoutQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['payout', environment, id],
    queryFn: ({ signal }) => call<Payout>('GET', pathTo`/v1/payouts/${id}`, { query: { environment }, signal }),
    refetchInterval: ({ state }) => (state.data && !isInProgress(state.data) ? 30_000 : 1_500),
  })

export const payoutEventsQuery = (environment: Environment, payout: Payout) =>
  queryOptions({
    queryKey: ['payout-events', environment, payout.id, payout.updated_at],
    queryFn: ({ signal }) =>
      call<List<PayoutEvent>>('GET', pathTo`/v1/payouts/${payout.id}/events`, { query: { environment }, signal }),
    placeholderData: (before) => before,
    // The refund of a failed payout arrives later, and a case does not change the payout itself.
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

export interface WalletFilters {
  readonly kind?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

export const walletEntriesQuery = (environment: Environment, filters: WalletFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['wallet-entries', environment, filters],
    ...pages<WalletEntry>('/v1/wallet/entries', { environment, ...filters, limit: 50 }),
    // Polls for top-ups, but not while the reader is on an older page.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 20_000),
  })

export const recipientsQuery = (environment: Environment) =>
  infiniteQueryOptions({
    queryKey: ['recipients', environment],
    ...pages<RecipientSummary>('/v1/recipients', { environment }),
  })

/** The largest page has all invoices of 16 years, so the sum of the open ones is complete. */
export const invoicesQuery = queryOptions({
  queryKey: ['invoices'],
  queryFn: ({ signal }) => call<List<Invoice>>('GET', '/v1/invoices', { query: { limit: largestPage }, signal }),
})

export const invoiceQuery = (id: string) =>
  queryOptions({
    queryKey: ['invoices', id],
    queryFn: ({ signal }) => call<Invoice>('GET', pathTo`/v1/invoices/${id}`, { signal }),
  })

export const chargesQuery = (invoiceId: string) =>
  infiniteQueryOptions({
    queryKey: ['charges', invoiceId],
    ...pages<Charge>(pathTo`/v1/invoices/${invoiceId}/charges`, { limit: 50 }),
  })

/** Invalidates both queries below when a key is created or revoked. */
export const keysQueryKey = ['keys'] as const

/** At most five, so one page. Revoked keys have their own query, so they cannot displace an active one. */
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

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => call<List<Member>>('GET', '/v1/members', { signal }),
})

/** The query parameter of each kind. */
const activityFilters = { everything: {}, changes: { changes_only: 'true' }, security: { security_only: 'true' } }
export type ActivityKind = keyof typeof activityFilters

export interface ActivityFilters {
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
  /** Only this entry. */
  readonly id?: string | undefined
}

/** The server filters: a page of reads may come before the first change. */
export const activityQuery = (kind: ActivityKind, filters: ActivityFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['activity', kind, filters],
    ...pages<Activity>('/v1/activity', { ...activityFilters[kind], ...filters }),
    // Only the first page is kept up to date, so that older entries do not move while they are read.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 20_000),
  })

/** Totals that change with the status of a payout. */
const totals = ['balance', 'wallet-entries', 'usage', 'usage-history']
const touched = ['payout', 'payouts', 'payout-events', 'payout-cases', ...totals]

export const reloadPayout = (queryClient: QueryClient) => reload(queryClient, touched)
export const reloadTotals = (queryClient: QueryClient) => reload(queryClient, totals)

async function reload(queryClient: QueryClient, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}
