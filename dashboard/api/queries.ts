// What the pages read, each with its key in the cache; what changes with the environment says so.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { now } from '../now'
import { call, pathTo } from './call'
import type {
  Account,
  Activity,
  ApiKey,
  Balance,
  Case,
  Compliance,
  Environment,
  Invoice,
  List,
  Member,
  Payout,
  PayoutDetails,
  PayoutEvent,
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

export const accountQuery = (environment: Environment) => read<Account>('account', environment, { staleTime: 60_000 })
export const balanceQuery = (environment: Environment) =>
  read<Balance>('balance', environment, { refetchInterval: 15_000 })
export const usageQuery = (environment: Environment) => read<Usage>('usage', environment)

/** While the bank is asked, its links and its word come by themselves. */
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
}

/** An empty cursor is left out of the address. */
const firstPage = ''

/** While a payout is under way its status is asked for often, otherwise now and then. */
export const payoutsQuery = (environment: Environment, filters: PayoutFilters) =>
  infiniteQueryOptions({
    queryKey: ['payouts', environment, filters],
    queryFn: ({ signal, pageParam }) =>
      call<List<Payout>>('GET', '/v1/payouts', {
        query: { environment, ...filters, limit: 50, starting_after: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: (last) => last.next_cursor,
    // A search costs more than a look, and nobody waits before it.
    refetchInterval: ({ state }) => {
      if (filters.q) return false
      return state.data?.pages.some(({ data }) => data.some(isUnderWay)) ? 3_000 : 20_000
    },
  })

export const latestPayoutsQuery = (environment: Environment, filters: PayoutFilters & { limit: number }) =>
  queryOptions({
    queryKey: ['payouts', environment, 'latest', filters],
    queryFn: ({ signal }) => call<List<Payout>>('GET', '/v1/payouts', { query: { environment, ...filters }, signal }),
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? 3_000 : 20_000),
  })

const tooLongMs = 15 * 60 * 1000
/** The server lists the newest first; as many as it gives at once, so that the oldest are among them. */
const asManyAsGiven = 200

/** Under way for too long at the moment of asking, however long ago they were made. */
export const latePayoutsQuery = (environment: Environment, status: 'pending' | 'processing') =>
  queryOptions({
    queryKey: ['payouts', environment, 'late', status],
    queryFn: ({ signal }) => {
      const created_before = new Date(now().getTime() - tooLongMs).toISOString()
      const query = { environment, status, created_before, limit: asManyAsGiven }
      return call<List<Payout>>('GET', '/v1/payouts', { query, signal })
    },
    refetchInterval: 20_000,
  })

export const payoutQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['payout', environment, id],
    queryFn: ({ signal }) => call<Payout>('GET', pathTo`/v1/payouts/${id}`, { query: { environment }, signal }),
    refetchInterval: ({ state }) => (state.data && !isUnderWay(state.data) ? 30_000 : 1_500),
  })

export const payoutEventsQuery = (environment: Environment, payout: Payout) =>
  queryOptions({
    queryKey: ['payout-events', environment, payout.id, payout.updated_at],
    queryFn: ({ signal }) =>
      call<List<PayoutEvent>>('GET', pathTo`/v1/payouts/${payout.id}/events`, { query: { environment }, signal }),
    placeholderData: (before) => before,
    // The money of a payout that did not go comes back a little later; a case changes nothing of the payout itself.
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

const isRefund = ({ event }: PayoutEvent) => event === 'refunded'

export function isUnderWay({ status }: Pick<Payout, 'status'>): boolean {
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

export const walletEntriesQuery = (environment: Environment) =>
  infiniteQueryOptions({
    queryKey: ['wallet-entries', environment],
    queryFn: ({ signal, pageParam }) =>
      call<List<WalletEntry>>('GET', '/v1/wallet/entries', {
        query: { environment, limit: 50, starting_after: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: (last) => last.next_cursor,
    // A top-up appears by itself; who reads further back is left in peace.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 20_000),
  })

export const recipientsQuery = (environment: Environment) =>
  infiniteQueryOptions({
    queryKey: ['recipients', environment],
    queryFn: ({ signal, pageParam }) =>
      call<List<RecipientSummary>>('GET', '/v1/recipients', {
        query: { environment, starting_after: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: (last) => last.next_cursor,
  })

export const invoicesQuery = queryOptions({
  queryKey: ['invoices'],
  queryFn: ({ signal }) => call<List<Invoice>>('GET', '/v1/invoices', { signal }),
})

/** Of both queries below, for when a key is created or revoked. */
export const keysQueryKey = ['keys'] as const

/** An environment has at most five, so they are one page. Revoked keys, however many, never push one out. */
export const activeKeysQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...keysQueryKey, environment, 'active'],
    queryFn: ({ signal }) =>
      call<List<ApiKey>>('GET', '/v1/keys', { query: { environment, status: 'active' }, signal }),
  })

export const revokedKeysQuery = (environment: Environment) =>
  infiniteQueryOptions({
    queryKey: [...keysQueryKey, environment, 'revoked'],
    queryFn: ({ signal, pageParam }) =>
      call<List<ApiKey>>('GET', '/v1/keys', {
        query: { environment, status: 'revoked', limit: 20, starting_after: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: (last) => last.next_cursor,
  })

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => call<List<Member>>('GET', '/v1/members', { signal }),
})

/** With the query parameter that chooses it. */
const activityFilters = { everything: {}, changes: { changes_only: 'true' }, security: { security_only: 'true' } }
export type ActivityKind = keyof typeof activityFilters

/** The server filters: a page of reads may come before the first change. */
export const activityQuery = (kind: ActivityKind) =>
  infiniteQueryOptions({
    queryKey: ['activity', kind],
    queryFn: ({ signal, pageParam }) => {
      const query = { starting_after: pageParam, ...activityFilters[kind] }
      return call<List<Activity>>('GET', '/v1/activity', { query, signal })
    },
    initialPageParam: firstPage,
    getNextPageParam: (last) => last.next_cursor,
    // Only the first page is kept up to date, so that older entries do not move while they are read.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 20_000),
  })
