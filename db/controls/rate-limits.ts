// Forgets old buckets: one that nobody has taken from for an hour is full again, as one that is not there.
import type { Queryable, Statement } from '../database'

export async function forgetRateLimits(db: Queryable, before: Date): Promise<void> {
  await db.query(forget, [before])
}

const forget: Statement = { name: 'rate-limits-forget', text: 'DELETE FROM rate_limits WHERE at < $1' }
