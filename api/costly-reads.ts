// Runs reads of a partner's history on connections of their own: a few at once for each partner, and none for long.
import type { Db } from '../db/database'
import { busyPattern, troubleCodes } from '../db/trouble'
import { ApiError } from './errors'

/** After this PostgreSQL gives up a statement of such a read. */
export const costlyReadMs = 2_000

export interface CostlyReads {
  /** Waits for a turn of this partner; `leave` must be called once. Throws rate_limited when too many wait already. */
  enter(partnerId: string): Promise<Turn>
}

export interface Turn {
  readonly db: Db
  leave(): void
}

export interface CostlyReadLimits {
  /** Reads of one partner that run at once. */
  readonly running: number
  /** Reads of one partner that wait for their turn, so that a page of the dashboard may ask for several things at once. */
  readonly waiting: number
  readonly waitMs: number
}

export function limitsFor(running: number): CostlyReadLimits {
  return { running, waiting: running * 8, waitMs: costlyReadMs }
}

/** Counted in each process: a load balancer may spread a partner over several, and each has its own connections. */
export function createCostlyReads({ db, limits }: { db: Db; limits: CostlyReadLimits }): CostlyReads {
  const partners = new Map<string, Partner>()

  function leaverOf(partnerId: string, partner: Partner): () => void {
    let left = false
    return () => {
      if (left) return
      left = true
      const next = partner.waiting.shift()
      if (next !== undefined) return next()
      partner.running -= 1
      if (partner.running === 0) partners.delete(partnerId)
    }
  }

  return {
    async enter(partnerId) {
      const partner = partners.get(partnerId) ?? { running: 0, waiting: [] }
      partners.set(partnerId, partner)
      if (partner.running < limits.running) partner.running += 1
      else await takeTurn(partner, limits)
      return { db, leave: leaverOf(partnerId, partner) }
    },
  }
}

interface Partner {
  running: number
  readonly waiting: (() => void)[]
}

/** A read that ends hands its turn to the first one that waits. */
function takeTurn({ waiting }: Partner, limits: CostlyReadLimits): Promise<void> {
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
  const message = 'Too many reads of this account run at once. Send them one after the other.'
  return new ApiError('rate_limited', { message, headers: { 'Retry-After': '1' } })
}

/** A read that PostgreSQL gave up is no fault of ours; everything else stays as it is. */
export function asTooSlow(error: unknown): unknown {
  if (!troubleCodes(error).some((code) => busyPattern.test(code))) return error
  const message = `This read took longer than ${costlyReadMs / 1_000} seconds and was stopped. Narrow it with filters, or retry.`
  return new ApiError('service_unavailable', { message })
}
