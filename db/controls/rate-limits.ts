// Token buckets that all API processes share. A bucket fills evenly, by the clock of the database.
import type { Queryable, Statement } from '../database'

/**
 * Takes tokens from a bucket that holds one second's worth. Returns how many whole tokens are left, or null when the bucket
 * holds too few.
 */
export async function takeTokens(
  db: Queryable,
  { bucket, limitPerSecond, tokens }: { bucket: string; limitPerSecond: number; tokens: number },
): Promise<number | null> {
  const [row] = await db.query<{ left_over: bigint }>(takeFromSecond, [bucket, limitPerSecond, tokens])
  return row ? Number(row.left_over) : null
}

/** Takes one token from a bucket that holds one hour's worth. Returns false when it is empty. */
export async function takeHourlyToken(db: Queryable, bucket: string, limitPerHour: number): Promise<boolean> {
  return (await db.query(takeFromHour, [bucket, limitPerHour])).length === 1
}

/** A bucket that was not used for an hour is full again, so its row says nothing that a missing row does not. */
export async function forgetRateLimits(db: Queryable, before: Date): Promise<void> {
  await db.sql`DELETE FROM rate_limits WHERE at < ${before}`
}

const filledBySecond = `least($2::bigint * 1000,
  bucket.tokens_milli + (extract(epoch FROM now() - bucket.at) * 1000)::bigint * $2::bigint)`

const takeFromSecond: Statement = {
  name: 'take-rate-share',
  text: `
    INSERT INTO rate_limits AS bucket (bucket, tokens_milli, at)
    VALUES ($1, ($2::bigint - $3::bigint) * 1000, now())
    ON CONFLICT (bucket) DO UPDATE SET tokens_milli = ${filledBySecond} - $3::bigint * 1000, at = now()
    WHERE ${filledBySecond} >= $3::bigint * 1000
    RETURNING tokens_milli / 1000 AS left_over`,
}

const filledByHour = `least($2::bigint * 1000,
  bucket.tokens_milli + (extract(epoch FROM now() - bucket.at) * $2::bigint / 3.6)::bigint)`

const takeFromHour: Statement = {
  name: 'take-hourly',
  text: `
    INSERT INTO rate_limits AS bucket (bucket, tokens_milli, at)
    VALUES ($1, ($2::bigint - 1) * 1000, now())
    ON CONFLICT (bucket) DO UPDATE SET tokens_milli = ${filledByHour} - 1000, at = now()
    WHERE ${filledByHour} >= 1000
    RETURNING bucket`,
}
