// Requests per second, per partner and environment, over all API processes: each takes shares of a bucket in PostgreSQL and spends them from memory.
import type { Clock } from '../clock'
import type { Db, Statement } from '../db/database'
import type { Environment } from '../domain/environment'
import type { Log } from '../log'

export interface RateLimiter {
  /** `who` is a partner's id for its keys, and a member's for what people do. */
  take(caller: { who: string; environment: Environment; limitPerSecond: number | null }): Promise<Taken>
  /** Whether one more is allowed of what is counted by the hour. */
  takeHourly(bucket: string, limitPerHour: number): Promise<boolean>
}

export interface Taken {
  readonly outcome: 'granted' | 'refused'
  readonly limitPerSecond: number
  readonly remaining: number
}

export const defaultLimitPerSecond: Readonly<Record<Environment, number>> = { live: 100, sandbox: 25 }

/** A share that is not spent within a second is worth nothing any more, as the bucket has filled up again. */
const shareLastsMs = 1_000

interface Share {
  tokens: number
  left: number
  at: number
}

/** The bucket holds one second's worth and fills evenly; the database's clock is the one all processes share. */
const filled = `least($2::bigint * 1000,
  bucket.tokens_milli + (extract(epoch FROM now() - bucket.at) * 1000)::bigint * $2::bigint)`

const takeShare: Statement = {
  name: 'take-rate-share',
  text: `
    INSERT INTO rate_limits AS bucket (bucket, tokens_milli, at)
    VALUES ($1, ($2::bigint - $3::bigint) * 1000, now())
    ON CONFLICT (bucket) DO UPDATE SET tokens_milli = ${filled} - $3::bigint * 1000, at = now()
    WHERE ${filled} >= $3::bigint * 1000
    RETURNING tokens_milli / 1000 AS left_over`,
}

const filledByTheHour = `least($2::bigint * 1000,
  bucket.tokens_milli + (extract(epoch FROM now() - bucket.at) * $2::bigint / 3.6)::bigint)`

const takeOneOfHour: Statement = {
  name: 'take-hourly',
  text: `
    INSERT INTO rate_limits AS bucket (bucket, tokens_milli, at)
    VALUES ($1, ($2::bigint - 1) * 1000, now())
    ON CONFLICT (bucket) DO UPDATE SET tokens_milli = ${filledByTheHour} - 1000, at = now()
    WHERE ${filledByTheHour} >= 1000
    RETURNING bucket`,
}

export function createRateLimiter({ db, clock, log }: { db: Db; clock: Clock; log: Log }): RateLimiter {
  const shares = new Map<string, Share>()
  const refills = new Map<string, Promise<Share | null>>()
  const emptyUntil = new Map<string, number>()

  async function refill(bucket: string, limitPerSecond: number): Promise<Share | null> {
    for (const tokens of shareSizes(limitPerSecond)) {
      const [row] = await db.query<{ left_over: bigint }>(takeShare, [bucket, limitPerSecond, tokens])
      if (row) return hold(bucket, { tokens, left: Number(row.left_over), at: clock.now().getTime() })
    }
    emptyUntil.set(bucket, clock.now().getTime() + 1_000 / limitPerSecond)
    return null
  }

  /** A flood is refused from memory: an empty bucket has nothing to give before one more token has dripped in. */
  function isEmpty(bucket: string): boolean {
    return clock.now().getTime() < (emptyUntil.get(bucket) ?? 0)
  }

  /** Requests that come while a share is being fetched wait for that one. */
  function refillOnce(bucket: string, limitPerSecond: number): Promise<Share | null> {
    const running = refills.get(bucket) ?? refill(bucket, limitPerSecond).finally(() => refills.delete(bucket))
    refills.set(bucket, running)
    return running
  }

  function hold(bucket: string, share: Share): Share {
    shares.set(bucket, share)
    return share
  }

  function spend(bucket: string): Share | null {
    const share = shares.get(bucket)
    if (!share || share.tokens < 1 || clock.now().getTime() - share.at >= shareLastsMs) return null
    share.tokens -= 1
    return share
  }

  return {
    async take({ who, environment, limitPerSecond }) {
      const limit = limitPerSecond ?? defaultLimitPerSecond[environment]
      const bucket = `${who}/${environment}`
      const refused: Taken = { outcome: 'refused', limitPerSecond: limit, remaining: 0 }
      for (;;) {
        const share = spend(bucket)
        if (share) return { outcome: 'granted', limitPerSecond: limit, remaining: share.tokens + share.left }
        if (isEmpty(bucket)) return refused
        const fresh = await refillOnce(bucket, limit).catch((error: unknown) => {
          // A limiter that can not count must not stop payments; the database is asked again by the request itself.
          log.warn({ err: error }, 'the rate limit could not be counted')
          return hold(bucket, { tokens: 1, left: 0, at: clock.now().getTime() })
        })
        if (!fresh) return refused
      }
    },
    async takeHourly(bucket, limitPerHour) {
      return (await db.query(takeOneOfHour, [bucket, limitPerHour])).length === 1
    },
  }
}

/** For a limit that is switched off. */
export const unlimited: RateLimiter = {
  take: async () => ({ outcome: 'granted', limitPerSecond: 0, remaining: 0 }),
  takeHourly: async () => true,
}

function shareSizes(limitPerSecond: number): number[] {
  const share = Math.max(1, Math.floor(limitPerSecond / 10))
  return share > 1 ? [share, 1] : [1]
}
