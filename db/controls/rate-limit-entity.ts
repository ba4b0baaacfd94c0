// The table of rate limits: what is left in each bucket.
import { EntitySchema } from 'typeorm'
import { bigint, text, time } from '../columns'

export interface RateLimitRow {
  readonly bucket: string
  readonly tokensMilli: bigint
  readonly at: Date
}

export const rateLimit = new EntitySchema<RateLimitRow>({
  name: 'RateLimit',
  tableName: 'rate_limits',
  columns: { bucket: { ...text, primary: true }, tokensMilli: bigint, at: time },
})
