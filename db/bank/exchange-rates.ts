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
import type { StoredExchangeRate } from './exchange-rate-entity'

/** Null when the rate is accepted. A rejection leaves the last accepted rate as it is. */
export async function checkRate(db: Db, { rail, ...check }: RateToCheck): Promise<RateRejection | null> {
  const { rate, limits, now } = check
  return db.transaction(async (tx) => {
    const rejection = rateRejection({ rate, last: acceptedIn(await lockRate(tx, rail)), limits, now })
    if (rejection === null && rate !== null) await tx.query(accept, [rail, rate.gbpPerUsdNano, now])
    else await tx.query(reject, [rail, rejection, rate?.gbpPerUsdNano ?? null, now])
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
  const [row] = await db.query<StoredExchangeRate>(select, [rail])
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
    const decision = [newId(now), rail, rate.gbpPerUsdNano, last.gbpPerUsdNano, reason, by, now]
    await tx.query(insertAcceptance, decision)
    await tx.query(tellPartners, [now, environment, by, formatRate(rate.gbpPerUsdNano)])
    return rejection
  })
}

export function acceptedIn(row: StoredExchangeRate | null): AcceptedRate | null {
  if (row === null || row.acceptedNano === null || row.acceptedAt === null) return null
  return { gbpPerUsdNano: row.acceptedNano, acceptedAt: row.acceptedAt }
}

async function lockRate(tx: Tx, rail: RailName): Promise<StoredExchangeRate | null> {
  const [row] = await tx.query<StoredExchangeRate>(lock, [rail])
  return row ?? null
}

const columns = `rail, accepted_nano AS "acceptedNano", accepted_at AS "acceptedAt", rejection,
  rejected_nano AS "rejectedNano", rejected_at AS "rejectedAt"`

const select: Statement = { name: 'rate-find', text: `SELECT ${columns} FROM exchange_rates WHERE rail = $1` }

// Makes the row where there is none, and locks it either way.
const lock: Statement = {
  name: 'rate-lock',
  text: `INSERT INTO exchange_rates (rail) VALUES ($1)
    ON CONFLICT (rail) DO UPDATE SET rail = excluded.rail RETURNING ${columns}`,
}

const accept: Statement = {
  name: 'rate-accept',
  text: `UPDATE exchange_rates SET accepted_nano = $2, accepted_at = $3, rejection = NULL, rejected_nano = NULL,
      rejected_at = NULL
    WHERE rail = $1`,
}

const reject: Statement = {
  name: 'rate-reject',
  text: 'UPDATE exchange_rates SET rejection = $2, rejected_nano = $3, rejected_at = $4 WHERE rail = $1',
}

const insertAcceptance: Statement = {
  name: 'rate-acceptance-insert',
  text: `INSERT INTO rate_acceptances (id, rail, accepted_nano, previous_nano, reason, accepted_by, accepted_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
}

const tellPartners: Statement = {
  name: 'rate-acceptance-tell',
  text: `INSERT INTO activity (partner_id, at, environment, action, changes, made_by, detail)
    SELECT id, $1, $2, 'rate.accept', true, $3, $4 FROM partners`,
}
