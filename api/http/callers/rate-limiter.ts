// Limits requests per second in each environment, for each partner's API keys and for each member. All API processes
// share a token bucket in PostgreSQL. Each process takes a share of the tokens and spends it from memory. Unknown
// callers are limited per address, in memory only.
import { createHash } from 'node:crypto'
import { takeHourlyToken, takeTokens } from '../../../db/controls/rate-limits'
import type { Db, Queryable } from '../../../db/database'
import type { Caller } from '../../../db/sign-in/callers'
import type { Environment } from '../../../domain/environment'
import type { Clock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'
import { ApiError } from '../errors'

export interface RateLimiter {
  /**
   * `who` is a partner ID for an API key and a member ID for a session. `weight` is the number of requests that this
   * request counts as.
   */
  take(caller: {
    who: string
    environment: Environment
    limitPerSecond: number | null
    weight?: number
  }): Promise<Taken>
  /**
   * Takes one token of an hourly limit. Returns false if none is left. With `tx`, the token is spent only if the
   * transaction commits.
   */
  takeHourly(bucket: string, limitPerHour: number, tx?: Queryable): Promise<boolean>
  /**
   * Like `takeHourly`, for wrong guesses. A refusal marks the caller's bucket as suspect for an hour, in this process
   * only.
   */
  takeGuess(bucket: string, limitPerHour: number): Promise<boolean>
  isSuspect(bucket: string): boolean
  /** Whether the address may send another body to a public route. */
  takeAnonymous(address: string): boolean
  readonly credentials: CredentialLimit
}

/** Counts wrong keys and session tokens per address. */
interface CredentialLimit {
  /**
   * Whether the credential may be looked up. A credential that was valid before always passes, because the wrong ones
   * may come from another client at the same address.
   */
  allow(address: string, credential: string): boolean
  countRight(credential: string): void
  countWrong(address: string, credential: string): void
}

/** More than an office needs to sign in. The codes themselves have an hourly limit. */
const anonymousLimits = { atOnce: 100, perSecond: 10 }
/**
 * High enough for a page whose session has ended, which sends several requests at once, and for an office that shares
 * one address.
 */
const wrongLimits = { atOnce: 100, perSecond: 1 }
/** Maximum number of addresses, and of credentials, that a process remembers. */
const mostRemembered = 10_000

interface Taken {
  readonly outcome: 'granted' | 'refused'
  readonly limitPerSecond: number
  readonly remaining: number
}

/** A read of a partner's history counts as this many requests. */
export const historyWeight = 3

export const defaultLimitPerSecond: Readonly<Record<Environment, number>> = { live: 100, sandbox: 25 }

/** An unspent share expires after a second, because by then the bucket is full again. */
const shareLastsMs = 1_000

interface Share {
  tokens: number
  left: number
  at: number
}

export function createRateLimiter({ db, clock, log }: { db: Db; clock: Clock; log: Log }): RateLimiter {
  const shares = new Map<string, Share>()
  const refills = new Map<string, Promise<Share | null>>()
  const emptyUntil = new Map<string, number>()
  const suspects = createSuspects(clock)

  /** Adds the tokens left over from a share that was too small for the request. */
  async function refill(bucket: string, limitPerSecond: number, weight: number): Promise<Share | null> {
    for (const taken of shareSizes(limitPerSecond, weight)) {
      const left = await takeTokens(db, { bucket, limitPerSecond, tokens: taken })
      if (left === null) continue
      const tokens = taken + (freshShare(bucket)?.tokens ?? 0)
      return hold(bucket, { tokens, left, at: clock.now().getTime() })
    }
    emptyUntil.set(`${bucket}/${weight}`, clock.now().getTime() + 1_000 / limitPerSecond)
    return null
  }

  /** Lets `take` refuse a flood without a query: an empty bucket stays empty until the next token is due. */
  function isEmpty(bucket: string, weight: number): boolean {
    return clock.now().getTime() < (emptyUntil.get(`${bucket}/${weight}`) ?? 0)
  }

  /** Requests that arrive during a refill wait for its result. */
  function refillOnce(bucket: string, limitPerSecond: number, weight: number): Promise<Share | null> {
    const name = `${bucket}/${weight}`
    const running = refills.get(name) ?? refill(bucket, limitPerSecond, weight).finally(() => refills.delete(name))
    refills.set(name, running)
    return running
  }

  function hold(bucket: string, share: Share): Share {
    shares.set(bucket, share)
    return share
  }

  function freshShare(bucket: string): Share | null {
    const share = shares.get(bucket)
    return share && clock.now().getTime() - share.at < shareLastsMs ? share : null
  }

  function spend(bucket: string, weight: number): Share | null {
    const share = freshShare(bucket)
    if (!share || share.tokens < weight) return null
    share.tokens -= weight
    return share
  }

  async function takeHourly(bucket: string, limitPerHour: number, tx: Queryable = db): Promise<boolean> {
    return takeHourlyToken(tx, bucket, limitPerHour)
  }

  return {
    async take({ who, environment, limitPerSecond, weight: wanted = 1 }) {
      const limit = limitPerSecond ?? defaultLimitPerSecond[environment]
      const weight = Math.min(wanted, limit)
      const bucket = `${who}/${environment}`
      const refused: Taken = { outcome: 'refused', limitPerSecond: limit, remaining: 0 }
      for (;;) {
        const share = spend(bucket, weight)
        if (share) return { outcome: 'granted', limitPerSecond: limit, remaining: share.tokens + share.left }
        if (isEmpty(bucket, weight)) return refused
        const fresh = await refillOnce(bucket, limit, weight).catch((error: unknown) => {
          // A limiter that cannot count must not stop payments. If the database is down, the request itself fails
          // anyway.
          log.warn({ err: error }, 'cannot check the rate limit; the request is allowed')
          return hold(bucket, { tokens: weight, left: 0, at: clock.now().getTime() })
        })
        if (!fresh) return refused
      }
    },
    takeHourly,
    async takeGuess(bucket, limitPerHour) {
      const isGranted = await takeHourly(bucket, limitPerHour)
      if (!isGranted) suspects.add(bucket)
      return isGranted
    },
    isSuspect: suspects.has,
    ...createAddressLimits(clock),
  }
}

function createAddressLimits(clock: Clock): Pick<RateLimiter, 'takeAnonymous' | 'credentials'> {
  const anonymous = createBuckets(anonymousLimits, clock)
  return {
    takeAnonymous(address) {
      const isLeft = anonymous.left(address) >= 1
      if (isLeft) anonymous.take(address)
      return isLeft
    },
    credentials: createCredentialLimit(clock),
  }
}

function createCredentialLimit(clock: Clock): CredentialLimit {
  const wrong = createBuckets(wrongLimits, clock)
  const right = new Map<string, true>()
  // The credential is hashed, so that a memory dump contains it only while its request is running.
  const nameOf = (credential: string) => createHash('sha256').update(credential).digest('base64url')
  return {
    allow: (address, credential) => wrong.left(address) >= 1 || right.has(nameOf(credential)),
    countRight: (credential) => remember(right, nameOf(credential), true),
    countWrong: (address, credential) => {
      right.delete(nameOf(credential))
      wrong.take(address)
    },
  }
}

interface Buckets {
  left(name: string): number
  take(name: string): void
}

function createBuckets({ atOnce, perSecond }: { atOnce: number; perSecond: number }, clock: Clock): Buckets {
  const levels = new Map<string, { readonly left: number; readonly at: number }>()

  function left(name: string): number {
    const level = levels.get(name)
    if (level === undefined) return atOnce
    return Math.min(atOnce, level.left + ((clock.now().getTime() - level.at) / 1_000) * perSecond)
  }

  return {
    left,
    take: (name) => remember(levels, name, { left: Math.max(0, left(name) - 1), at: clock.now().getTime() }),
  }
}

/** Drops the oldest entry if the map is too large. */
function remember<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name)
  map.set(name, value)
  if (map.size <= mostRemembered) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

function createSuspects(clock: Clock) {
  const until = new Map<string, number>()
  return {
    add: (bucket: string) => until.set(bucket, clock.now().getTime() + 3_600_000),
    has: (bucket: string) => {
      const isSuspect = clock.now().getTime() < (until.get(bucket) ?? 0)
      if (!isSuspect) until.delete(bucket)
      return isSuspect
    },
  }
}

/** Throws 429 when the hourly limit is reached. */
export async function requireHourly(
  limiter: RateLimiter,
  bucket: string,
  limitPerHour: number,
  tx?: Queryable,
): Promise<void> {
  if (await limiter.takeHourly(bucket, limitPerHour, tx)) return
  throw new ApiError('rate_limited', { headers: { 'Retry-After': String(Math.ceil(3600 / limitPerHour)) } })
}

/** Used when rate limits are disabled. */
export const unlimited: RateLimiter = {
  take: async () => ({ outcome: 'granted', limitPerSecond: 0, remaining: 0 }),
  takeHourly: async () => true,
  takeGuess: async () => true,
  isSuspect: () => false,
  takeAnonymous: () => true,
  credentials: { allow: () => true, countRight: () => undefined, countWrong: () => undefined },
}

/**
 * Limits guesses at encrypted values, because the response shows whether a guess is right. If a caller has made too
 * many wrong guesses, each comparison is counted before it is made, so that a refusal reveals nothing.
 */
export function guessesOf(
  caller: Caller,
  { bucket: name, perHour }: { readonly bucket: string; readonly perHour: number },
  { rateLimiter }: { readonly rateLimiter: RateLimiter },
) {
  const bucket = `${name}/${caller.by === 'key' ? caller.keyId : caller.memberId}`
  const isSuspect = rateLimiter.isSuspect(bucket)
  const count = async () => {
    if (await rateLimiter.takeGuess(bucket, perHour)) return
    throw new ApiError('rate_limited', { headers: { 'Retry-After': String(Math.ceil(3600 / perHour)) } })
  }
  return {
    beforeComparison: async () => (isSuspect ? count() : undefined),
    wasWrong: async () => (isSuspect ? undefined : count()),
  }
}

function shareSizes(limitPerSecond: number, weight: number): number[] {
  const share = Math.max(weight, Math.floor(limitPerSecond / 10))
  return share > weight ? [share, weight] : [weight]
}
