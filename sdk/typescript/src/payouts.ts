// Payouts: create, read, list, cancel, and wait until one is final.
import { ApiError, PayoutsError, UnreachableStatusError } from './errors'
import { type IdempotencyKey, requireKey } from './idempotency-key'
import { type List, listOf } from './pages'
import type {
  CreatePayoutRequest,
  ExportPayoutsQuery,
  GetPayoutTotalsQuery,
  ListPayoutsQuery,
  Payout,
  PayoutCheck,
  PayoutCreated,
  PayoutDetails,
  PayoutEvent,
  PayoutTotals,
} from './schemas'
import {
  type Answer,
  type Call,
  type CallOptions,
  idPart,
  jsonOf,
  sleep,
  type Transport,
  textOf,
  within,
} from './transport'

export type PayoutStatus = Payout['status']

/** The statuses that a payout can end in. A completed payout can still become returned. */
export type FinalStatus = Exclude<PayoutStatus, 'pending' | 'processing'>

/** The filters of a list. `status` can be a list too. */
export type Filters<Query> = Omit<Query, 'status'> & { readonly status?: PayoutStatus | readonly PayoutStatus[] }

export interface CreateOptions extends CallOptions {
  /** Identifies this payout. Create the key with `idempotencyKey.from`, and pass the same key if you repeat the call. */
  readonly idempotencyKey: IdempotencyKey
}

export interface WaitOptions {
  /** The status or statuses to wait for. By default, any final one. */
  readonly status?: FinalStatus | readonly FinalStatus[]
  /** The time limit for the whole wait. The default is 300,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** The pause before the second read. Later pauses grow to 30 seconds. The default is 1,000. */
  readonly pollIntervalMs?: number
  /** Called with the payout after the first read, and after each read that finds a change. */
  readonly onChange?: (payout: Payout) => void
}

export interface Payouts {
  /**
   * Creates a payout. Retries use the same key, so the recipient is paid at most once. After a retryable error, an abort
   * or a 401, the payout may exist: call again with the same key.
   */
  create(body: CreatePayoutRequest, options: CreateOptions): Promise<PayoutCreated>
  get(id: string, options?: CallOptions): Promise<Payout>
  list(filters?: Filters<ListPayoutsQuery>, options?: CallOptions): List<Payout>
  totals(filters?: Filters<GetPayoutTotalsQuery>, options?: CallOptions): Promise<PayoutTotals>
  /** Returns all matching payouts as CSV. */
  csv(filters?: Filters<ExportPayoutsQuery>, options?: CallOptions): Promise<string>
  /** Finds similar earlier payouts, and shows the name and the reference that the bank receives. */
  check(body: CreatePayoutRequest, options?: CallOptions): Promise<PayoutCheck>
  details(id: string, options?: CallOptions): Promise<PayoutDetails>
  /** The timeline of the payout, oldest event first. */
  events(id: string, options?: CallOptions): List<PayoutEvent>
  /** Cancels a pending payout. An ApiError with the code `invalid_state` means that it is too late. */
  cancel(id: string, options?: CallOptions): Promise<Payout>
  /** Reads a payout until it is final, or until it has the wanted status. */
  waitFor(id: string, options?: WaitOptions): Promise<Payout>
}

const defaultWaitMs = 300_000
/** An export can be long, and the time limit includes its download. */
const exportMs = 600_000
const firstPollMs = 1_000
const maxPollMs = 30_000
const pollGrowth = 1.5

export function payoutsOf(send: Transport): Payouts {
  const path = '/v1/payouts'
  const read = <T>(call: Pick<Call, 'path' | 'query'>, options?: CallOptions) =>
    jsonOf<T>(send({ method: 'GET', repeat: 'safe', ...call }, options))
  const get = async (id: string, options?: CallOptions) => read<Payout>({ path: `${path}/${idPart(id)}` }, options)

  return {
    get,
    async create(body, options) {
      const key = requireKey(options.idempotencyKey)
      const call = { method: 'POST', path, body, idempotencyKey: key, repeat: 'safe' } as const
      return jsonOf(send(call, options))
    },
    list: (filters, options) => listOf(send, path, filters, options),
    totals: (filters = {}, options) => read({ path: `${path}/totals`, query: filters }, options),
    async csv(filters = {}, options) {
      const call = { method: 'GET', path: `${path}.csv`, query: filters, repeat: 'safe' } as const
      return textOf((await send(call, { timeoutMs: exportMs, ...options })).bytes)
    },
    check: (body, options) => jsonOf(send({ method: 'POST', path: `${path}/check`, body, repeat: 'safe' }, options)),
    details: async (id, options) => read({ path: `${path}/${idPart(id)}/details` }, options),
    events: (id, options) => listOf(send, `${path}/${idPart(id)}/events`, {}, options),
    async cancel(id, options) {
      let isRetried = false
      const onRetry = () => {
        isRetried = true
      }
      try {
        const call = { method: 'POST', path: `${path}/${idPart(id)}/cancel`, repeat: 'safe', onRetry } as const
        return await jsonOf(send(call, options))
      } catch (error) {
        // The response of the first attempt was lost, and that attempt cancelled the payout.
        if (isRetried && isAlreadyCancelled(error)) return get(id, options)
        throw error
      }
    },
    waitFor: (id, options) => waitFor(send, id, options),
  }
}

function isAlreadyCancelled(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_state' && statusIn(error.details) === 'cancelled'
}

function statusIn(details: unknown): unknown {
  return typeof details === 'object' && details !== null && 'status' in details ? details.status : undefined
}

async function waitFor(send: Transport, id: string, options: WaitOptions = {}): Promise<Payout> {
  const { timeoutMs = defaultWaitMs, signal, status } = options
  const wanted = status === undefined ? null : [status].flat()
  return within(timeoutMs, signal, async (limited) => {
    let intervalMs = options.pollIntervalMs ?? firstPollMs
    let etag: string | null = null
    for (;;) {
      const { answer, retryAfterMs } = await poll(send, id, etag, limited)
      if (answer !== null && answer.status !== 304) {
        const payout = await jsonOf<Payout>(answer)
        etag = answer.etag
        options.onChange?.(payout)
        if (isReached(payout, wanted)) return payout
      }
      await sleep(Math.max(retryAfterMs, intervalMs * (0.75 + Math.random() / 2)), limited)
      intervalMs = Math.min(maxPollMs, intervalMs * pollGrowth)
    }
  })
}

interface Polled {
  /** Null if the payout cannot be read at the moment. The wait then continues. */
  readonly answer: Answer | null
  readonly retryAfterMs: number
}

async function poll(send: Transport, id: string, etag: string | null, signal: AbortSignal): Promise<Polled> {
  const call = { method: 'GET', path: `/v1/payouts/${idPart(id)}`, etag, repeat: 'safe' } as const
  try {
    // The next poll is the retry.
    return { answer: await send(call, { signal, maxRetries: 0 }), retryAfterMs: 0 }
  } catch (error) {
    if (signal.aborted || !(error instanceof PayoutsError) || !error.isRetryable) throw error
    return { answer: null, retryAfterMs: error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0 }
  }
}

function isReached(payout: Payout, wanted: readonly PayoutStatus[] | null): boolean {
  const { status } = payout
  const isFinal = status !== 'pending' && status !== 'processing'
  if (wanted === null) return isFinal
  if (wanted.includes(status)) return true
  if (!isFinal || (status === 'completed' && wanted.includes('returned'))) return false
  throw new UnreachableStatusError(`The payout is ${status}, so it cannot become ${wanted.join(' or ')}.`, payout)
}
