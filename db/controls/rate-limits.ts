// Token buckets that all API processes share. A bucket refills continuously, according to the database's clock.
import { bigint, entity, primary, text, time } from '../columns'
import type { Queryable } from '../database'
import { sql } from '../sql'

interface RateLimitRow {
  readonly bucket: string
  readonly tokensMilli: bigint
  readonly at: Date
}

export const rateLimit = entity<RateLimitRow>('RateLimit', 'rate_limits', {
  bucket: primary(text),
  tokensMilli: bigint,
  at: time,
})

/**
 * Takes tokens from a bucket that holds at most one second's worth. Returns the number of whole tokens left, or null
 * if the bucket holds too few.
 */
export async function takeTokens(
  db: Queryable,
  { bucket, limitPerSecond, tokens }: { bucket: string; limitPerSecond: number; tokens: number },
): Promise<number | null> {
  const filled = sql`least(${limitPerSecond}::bigint * 1000,
    bucket.tokens_milli + (extract(epoch FROM now() - bucket.at) * 1000)::bigint * ${limitPerSecond}::bigint)`
  const [row] = await db.sql<{ remaining: bigint }>`INSERT INTO rate_limits AS bucket (bucket, tokens_milli, at)
    VALUES (${bucket}, (${limitPerSecond}::bigint - ${tokens}::bigint) * 1000, now())
    ON CONFLICT (bucket) DO UPDATE SET tokens_milli = ${filled} - ${tokens}::bigint * 1000, at = now()
    WHERE ${filled} >= ${tokens}::bigint * 1000
    RETURNING tokens_milli / 1000 AS remaining`
  return row ? Number(row.remaining) : null
}

/** Takes one token from a bucket that holds at most one hour's worth. Returns false if the bucket is empty. */
export async function takeHourlyToken(db: Queryable, bucket: string, limitPerHour: number): Promise<boolean> {
  const filled = sql`least(${limitPerHour}::bigint * 1000,
    bucket.tokens_milli + (extract(epoch FROM now() - bucket.at) * ${limitPerHour}::bigint / 3.6)::bigint)`
  const taken = await db.sql`INSERT INTO rate_limits AS bucket (bucket, tokens_milli, at)
    VALUES (${bucket}, (${limitPerHour}::bigint - 1) * 1000, now())
    ON CONFLICT (bucket) DO UPDATE SET tokens_milli = ${filled} - 1000, at = now()
    WHERE ${filled} >= 1000
    RETURNING bucket`
  return taken.length === 1
}

/** Deletes unused buckets. A bucket that was not used for an hour is full, so its row is not needed. */
export async function deleteIdleRateLimits(db: Queryable, before: Date): Promise<void> {
  await db.sql`DELETE FROM rate_limits WHERE at < ${before}`
}
