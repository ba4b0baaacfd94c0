// The entry point: `createClient` and everything that callers need with it.
import { type List, listOf } from './pages'
import { type Payouts, payoutsOf } from './payouts'
import type {
  Account,
  Activity,
  Balance,
  Charge,
  Compliance,
  GetWalletBalancesQuery,
  Invoice,
  ListActivityQuery,
  ListInvoiceChargesQuery,
  ListInvoicesQuery,
  ListRecipientsQuery,
  ListWalletEntriesQuery,
  Quote,
  QuoteRequest,
  RecipientSummary,
  Simulation,
  SimulationRequest,
  TopUp,
  TopUpRequest,
  Usage,
  UsageMonth,
  WalletBalances,
  WalletEntry,
} from './schemas'
import { type Call, type CallOptions, type ClientOptions, createTransport, idPart, jsonOf, textOf } from './transport'

export { ApiError, NetworkError, PayoutsError, TimeoutError, UnreachableStatusError } from './errors'
export { type IdempotencyKey, idempotencyKey } from './idempotency-key'
export { money } from './money'
export type { List, Page } from './pages'
export type { CreateOptions, Filters, FinalStatus, PayoutStatus, Payouts, WaitOptions } from './payouts'
export type * from './schemas'
export type { CallOptions, ClientOptions } from './transport'

export interface Client {
  readonly payouts: Payouts
  readonly quotes: {
    /** A quote moves no money and is not binding. */
    create(body: QuoteRequest, options?: CallOptions): Promise<Quote>
  }
  readonly balance: { get(options?: CallOptions): Promise<Balance> }
  readonly wallet: {
    entries(filters?: ListWalletEntriesQuery, options?: CallOptions): List<WalletEntry>
    /** The balances at the start and the end of a period. */
    balances(filters?: GetWalletBalancesQuery, options?: CallOptions): Promise<WalletBalances>
  }
  readonly recipients: { list(filters?: ListRecipientsQuery, options?: CallOptions): List<RecipientSummary> }
  readonly usage: {
    /** The current month. */
    get(options?: CallOptions): Promise<Usage>
    history(filters?: { readonly months?: number }, options?: CallOptions): List<UsageMonth>
  }
  /** Invoices need a live key. With a sandbox key, the list is empty. */
  readonly invoices: {
    get(id: string, options?: CallOptions): Promise<Invoice>
    list(filters?: ListInvoicesQuery, options?: CallOptions): List<Invoice>
    charges(id: string, filters?: ListInvoiceChargesQuery, options?: CallOptions): List<Charge>
    pdf(id: string, options?: CallOptions): Promise<ArrayBuffer>
    csv(id: string, options?: CallOptions): Promise<string>
  }
  readonly account: {
    get(options?: CallOptions): Promise<Account>
    compliance(options?: CallOptions): Promise<Compliance>
    activity(filters?: ListActivityQuery, options?: CallOptions): List<Activity>
  }
  /** These two calls are not idempotent, so they are never retried. */
  readonly sandbox: {
    /** Makes the sandbox bank settle, fail, return or stall a payout. */
    simulate(payoutId: string, body: SimulationRequest, options?: CallOptions): Promise<Simulation>
    /** Adds test money. */
    topUp(body: TopUpRequest, options?: CallOptions): Promise<TopUp>
  }
}

/** Creates a client. It has no state except its options, and it never shows the API key. */
export function createClient(options: ClientOptions): Client {
  const send = createTransport(options)
  const read = <T>(path: string, options?: CallOptions) =>
    jsonOf<T>(send({ method: 'GET', path, repeat: 'safe' }, options))
  const post = <T>(path: string, body: unknown, repeat: Call['repeat'], options?: CallOptions) =>
    jsonOf<T>(send({ method: 'POST', path, body, repeat }, options))
  const file = async (path: string, options?: CallOptions) =>
    (await send({ method: 'GET', path, repeat: 'safe' }, options)).bytes
  const invoice = (id: string) => `/v1/invoices/${idPart(id)}`

  return {
    payouts: payoutsOf(send),
    quotes: { create: (body, options) => post('/v1/quotes', body, 'safe', options) },
    balance: { get: (options) => read('/v1/balance', options) },
    wallet: {
      entries: (filters, options) => listOf(send, '/v1/wallet/entries', filters, options),
      balances: (query = {}, options) =>
        jsonOf(send({ method: 'GET', path: '/v1/wallet/balances', query, repeat: 'safe' }, options)),
    },
    recipients: { list: (filters, options) => listOf(send, '/v1/recipients', filters, options) },
    usage: {
      get: (options) => read('/v1/usage', options),
      history: (filters, options) => listOf(send, '/v1/usage/history', filters, options),
    },
    invoices: {
      get: async (id, options) => read(invoice(id), options),
      list: (filters, options) => listOf(send, '/v1/invoices', filters, options),
      charges: (id, filters, options) => listOf(send, `${invoice(id)}/charges`, filters, options),
      pdf: async (id, options) => file(`${invoice(id)}.pdf`, options),
      csv: async (id, options) => textOf(await file(`${invoice(id)}.csv`, options)),
    },
    account: {
      get: (options) => read('/v1/account', options),
      compliance: (options) => read('/v1/compliance', options),
      activity: (filters, options) => listOf(send, '/v1/activity', filters, options),
    },
    sandbox: {
      simulate: async (payoutId, body, options) =>
        post(`/v1/sandbox/payouts/${idPart(payoutId)}/simulate`, body, 'unsafe', options),
      topUp: (body, options) => post('/v1/sandbox/top-ups', body, 'unsafe', options),
    },
  }
}
