// Requests per second, per partner and environment, over all API processes: each takes shares of a bucket in PostgreSQL and spends them from memory.
// Requests of unknown callers are limited per address, in each process and without the database.
import { createHash } from 'node:crypto'
import type { Db, Queryable, Statement } from '../../../db/database'
import type { Caller } from '../../../db/sign-in/callers'
import type { Environment } from '../../../domain/environment'
import type { Clock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'
import { ApiError } from '../errors'

export interface RateLimiter {
  /** `who` is a partner's id for its keys, and a member's for what people do. `weight`: how many requests it counts as. */
  take(caller: {
    who: string
    environment: Environment
    limitPerSecond: number | null
    weight?: number
  }): Promise<Taken>
  /** Whether one more is allowed of what is counted by the hour. In a transaction it counts only what is committed. */
  takeHourly(bucket: string, limitPerHour: number, tx?: Queryable): Promise<boolean>
  /** The same for wrong guesses. A refusal makes the bucket suspect, in this process, for an hour. */
  takeGuess(bucket: string, limitPerHour: number): Promise<boolean>
  isSuspect(bucket: string): boolean
  /** Whether an address may send one more body to a route that anyone may call. */
  takeAnonymous(address: string): boolean
  readonly credentials: CredentialLimit
}

/** Wrong keys and session tokens of each address. */
export interface CredentialLimit {
  /** Whether the database may be asked for this credential. One that was right before always passes: others may share its address. */
  allow(address: string, credential: string): boolean
  countRight(credential: string): void
  countWrong(address: string, credential: string): void
}

/** More than an office needs to sign in; how many codes that takes is counted by the hour. */
const anonymousLimits = { atOnce: 100, perSecond: 10 }
/** A page of an ended session asks for several things at once, and an office shares one address. */
const wrongLimits = { atOnce: 100, perSecond: 1 }
/** Of addresses and of credentials that are remembered, each. */
const mostRemembered = 10_000

export interface Taken {
  readonly outcome: 'granted' | 'refused'
  readonly limitPerSecond: number
  readonly remaining: number
}

/** How many requests a read of a partner's history counts as. */
export const historyWeight = 3

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
  const suspects = createSuspects(clock)

  /** Tokens that were too few for a heavier request are kept. */
  async function refill(bucket: string, limitPerSecond: number, weight: number): Promise<Share | null> {
    for (const taken of shareSizes(limitPerSecond, weight)) {
      const [row] = await db.query<{ left_over: bigint }>(takeShare, [bucket, limitPerSecond, taken])
      if (!row) continue
      const tokens = taken + (freshShare(bucket)?.tokens ?? 0)
      return hold(bucket, { tokens, left: Number(row.left_over), at: clock.now().getTime() })
    }
    emptyUntil.set(`${bucket}/${weight}`, clock.now().getTime() + 1_000 / limitPerSecond)
    return null
  }

  /** A flood is refused from memory: an empty bucket has nothing to give before one more token has dripped in. */
  function isEmpty(bucket: string, weight: number): boolean {
    return clock.now().getTime() < (emptyUntil.get(`${bucket}/${weight}`) ?? 0)
  }

  /** Requests that come while a share is being fetched wait for that one. */
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
    return (await tx.query(takeOneOfHour, [bucket, limitPerHour])).length === 1
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
          // A limiter that can not count must not stop payments; the database is asked again by the request itself.
          log.warn({ err: error }, 'the rate limit could not be counted')
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
  // As a hash, so that a dump of the memory holds no credential for longer than its request.
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

/** Forgets the one that was written longest ago when there are too many. */
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

/** Refuses with 429 when the hour's number is used up. */
export async function requireHourly(
  limiter: RateLimiter,
  bucket: string,
  limitPerHour: number,
  tx?: Queryable,
): Promise<void> {
  if (await limiter.takeHourly(bucket, limitPerHour, tx)) return
  throw new ApiError('rate_limited', { headers: { 'Retry-After': String(Math.ceil(3600 / limitPerHour)) } })
}

/** For a limit that is switched off. */
export const unlimited: RateLimiter = {
  take: async () => ({ outcome: 'granted', limitPerSecond: 0, remaining: 0 }),
  takeHourly: async () => true,
  takeGuess: async () => true,
  isSuspect: () => false,
  takeAnonymous: () => true,
  credentials: { allow: () => true, countRight: () => undefined, countWrong: () => undefined },
}

/**
 * Limits guesses at what is stored sealed. An answer shows whether a guess is right, so a caller with too many wrong ones pays for
 * each comparison before it is made: then a refusal shows nothing.
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
