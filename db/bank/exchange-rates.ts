// The last accepted rate of each rail, shared by all API processes: checked and recorded under the row's lock.

import type { Environment, RailName } from '../../domain/environment'
import { formatRate } from '../../domain/rate'
import {
  type AcceptedRate,
  type BankRate,
  type RateLimits,
  type RateRejection,
  rateRejection,
} from '../../domain/rate-check'
import type { Db, Queryable, Statement, Tx } from '../database'
import { newId } from '../id'
import { sql } from '../sql'
import type { StoredExchangeRate } from './exchange-rate-entity'

/** Null when the rate is accepted. A rejection leaves the last accepted rate as it is. */
export async function checkRate(db: Db, { rail, ...check }: RateToCheck): Promise<RateRejection | null> {
  const { rate, limits, now } = check
  return db.transaction(async (tx) => {
    const rejection = rateRejection({ rate, last: acceptedIn(await lockRate(tx, rail)), limits, now })
    if (rejection === null && rate !== null) await tx.query(accept, [rail, rate.gbpPerUsdNano, now])
    else
      await tx.sql`UPDATE exchange_rates SET rejection = ${rejection}, rejected_nano = ${rate?.gbpPerUsdNano ?? null}, rejected_at = ${now} WHERE rail = ${rail}`
    return rejection
  })
}

/** The store behind the API's rates. */
export function createRateStore(db: Db, limits: RateLimits) {
  return {
    check: (rail: RailName, rate: BankRate | null, now: Date) => checkRate(db, { rail, rate, limits, now }),
    isRejected: async (rail: RailName) => ((await findRate(db, rail))?.rejection ?? null) !== null,
  }
}

export interface RateToCheck {
  readonly rail: RailName
  /** Null when the bank answered without a readable rate. */
  readonly rate: BankRate | null
  readonly limits: RateLimits
  readonly now: Date
}

/** Null when no rate of this rail was checked yet. */
export async function findRate(db: Queryable, rail: RailName): Promise<StoredExchangeRate | null> {
  const [row] = await db.sql<StoredExchangeRate>`SELECT ${columns} FROM exchange_rates WHERE rail = ${rail}`
  return row ?? null
}

export interface RateAcceptance extends RateToCheck {
  readonly rate: BankRate
  readonly environment: Environment
  readonly reason: string
  readonly by: string
}

/**
 * Makes a rate that jumped the last accepted one, and tells every partner's activity list. Only a jump can be accepted: for any
 * other rejection, and for a rate that needs no acceptance, the result says so and nothing changes.
 */
export async function acceptJump(
  db: Db,
  { rail, rate, limits, now, environment, reason, by }: RateAcceptance,
): Promise<RateRejection | null> {
  return db.transaction(async (tx) => {
    const last = acceptedIn(await lockRate(tx, rail))
    const rejection = rateRejection({ rate, last, limits, now })
    if (rejection !== 'jump' || last === null) return rejection
    await tx.query(accept, [rail, rate.gbpPerUsdNano, now])
    await tx.sql`INSERT INTO rate_acceptances (id, rail, accepted_nano, previous_nano, reason, accepted_by, accepted_at)
    VALUES (${newId(now)}, ${rail}, ${rate.gbpPerUsdNano}, ${last.gbpPerUsdNano}, ${reason}, ${by}, ${now})`
    await tx.sql`INSERT INTO activity (partner_id, at, environment, action, changes, made_by, detail)
    SELECT id, ${now}, ${environment}, 'rate.accept', true, ${by}, ${formatRate(rate.gbpPerUsdNano)} FROM partners`
    return rejection
  })
}

export function acceptedIn(row: StoredExchangeRate | null): AcceptedRate | null {
  if (row === null || row.acceptedNano === null || row.acceptedAt === null) return null
  return { gbpPerUsdNano: row.acceptedNano, acceptedAt: row.acceptedAt }
}

async function lockRate(tx: Tx, rail: RailName): Promise<StoredExchangeRate | null> {
  // Makes the row where there is none, and locks it either way.
  const [row] = await tx.sql<StoredExchangeRate>`INSERT INTO exchange_rates (rail) VALUES (${rail})
    ON CONFLICT (rail) DO UPDATE SET rail = excluded.rail RETURNING ${columns}`
  return row ?? null
}

const columns = sql`rail, accepted_nano, accepted_at, rejection,
  rejected_nano, rejected_at`

const accept: Statement = {
  name: 'rate-accept',
  text: `UPDATE exchange_rates SET accepted_nano = $2, accepted_at = $3, rejection = NULL, rejected_nano = NULL,
      rejected_at = NULL
    WHERE rail = $1`,
}
