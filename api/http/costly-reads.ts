// Runs reads of a partner's history on separate connections, with a short timeout and a limit on concurrent
// statements per partner.
import { type Db, sentThrough } from '../../db/database'
import { busyPattern, errorCodes } from '../../db/errors'
import { ApiError } from './errors'

/** The statement timeout of these reads. */
export const costlyReadMs = 2_000

export interface CostlyReads {
  /**
   * The database for one partner's reads. Statements wait for their turn, and fail with rate_limited if too many are
   * waiting.
   */
  of(partnerId: string): Db
}

export interface CostlyReadLimits {
  /** Maximum running statements per partner. */
  readonly running: number
  /** Maximum waiting statements per partner. Lets a dashboard page send several requests at once. */
  readonly waiting: number
  readonly waitMs: number
  /**
   * The pause before the next waiting statement, as a multiple of the previous statement's duration. At most
   * `restAtMostMs`.
   */
  readonly restFactor: number
  readonly restAtMostMs: number
}

export function limitsFor(running: number): CostlyReadLimits {
  return { running, waiting: 16, waitMs: costlyReadMs, restFactor: 3, restAtMostMs: 1_000 }
}

/**
 * A turn lasts for one statement, so an export that reads page by page does not block the partner's other reads. Each
 * process counts separately, because each has its own connections. Pauses between waiting statements limit the load
 * that a flood of searches causes.
 */
export function createCostlyReads({ db, limits }: { db: Db; limits: CostlyReadLimits }): CostlyReads {
  const partners = new Map<string, Partner>()

  async function inTurn<T>(partnerId: string, work: () => Promise<T>): Promise<T> {
    const partner = partners.get(partnerId) ?? { running: 0, waiting: [] }
    partners.set(partnerId, partner)
    if (partner.running < limits.running) partner.running += 1
    else await waitForTurn(partner, limits)
    const startedMs = performance.now()
    try {
      return await work()
    } finally {
      const tookMs = performance.now() - startedMs
      if (partner.waiting.length === 0) passTurnOn(partnerId, partner)
      else setTimeout(passTurnOn, restMs(tookMs, limits), partnerId, partner).unref()
    }
  }

  function passTurnOn(partnerId: string, partner: Partner): void {
    const next = partner.waiting.shift()
    if (next !== undefined) next()
    else partner.running -= 1
    if (partner.running === 0) partners.delete(partnerId)
  }

  return {
    of: (partnerId) =>
      sentThrough(db, {
        send: (command) => inTurn(partnerId, () => db.send(command)),
        transaction: (work) => inTurn(partnerId, () => db.transaction(work)),
      }),
  }
}

function restMs(tookMs: number, { restFactor, restAtMostMs }: CostlyReadLimits): number {
  return Math.min(tookMs * restFactor, restAtMostMs)
}

interface Partner {
  running: number
  readonly waiting: (() => void)[]
}

function waitForTurn({ waiting }: Partner, limits: CostlyReadLimits): Promise<void> {
  if (waiting.length >= limits.waiting) return Promise.reject(tooMany())
  return new Promise((resolve, reject) => {
    const turn = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(turn), 1)
      reject(tooMany())
    }, limits.waitMs)
    waiting.push(turn)
  })
}

function tooMany(): ApiError {
  const message = 'Too many reads are running for this account. Send them one after the other.'
  return new ApiError('rate_limited', { message, headers: { 'Retry-After': '1' } })
}

/** Turns a statement timeout into service_unavailable. Returns other errors unchanged. */
export function timeoutAsUnavailable(error: unknown): unknown {
  if (!errorCodes(error).some((code) => busyPattern.test(code))) return error
  const message = `This read took longer than ${costlyReadMs / 1_000} seconds and was stopped. Narrow it with filters, or retry.`
  return new ApiError('service_unavailable', { message })
}
