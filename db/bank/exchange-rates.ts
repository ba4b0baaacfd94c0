// The last accepted exchange rate for each rail. API processes share it, and lock its row while they check a new rate.
import type { Environment, RailName } from '../../domain/environment'
import { formatRate } from '../../domain/rate'
import {
  type AcceptedRate,
  type BankRate,
  type ExchangeRateLimits,
  type RateRejection,
  rateRejection,
} from '../../domain/rate-check'
import { bigint, columnsOf, entity, id, orNull, primary, text, time } from '../columns'
import type { Db, Queryable, Tx } from '../database'
import { newId } from '../id'

interface ExchangeRateRow {
  readonly rail: RailName
  readonly acceptedNano: bigint | null
  readonly acceptedAt: Date | null
  readonly rejection: RateRejection | null
  readonly rejectedNano: bigint | null
  readonly rejectedAt: Date | null
}

export const exchangeRate = entity<ExchangeRateRow>('ExchangeRate', 'exchange_rates', {
  rail: primary(text),
  acceptedNano: orNull(bigint),
  acceptedAt: orNull(time),
  rejection: orNull(text),
  rejectedNano: orNull(bigint),
  rejectedAt: orNull(time),
})

interface RateAcceptanceRow {
  readonly id: string
  readonly rail: RailName
  readonly acceptedNano: bigint
  readonly previousNano: bigint
  readonly reason: string
  readonly acceptedBy: string
  readonly acceptedAt: Date
}

export const rateAcceptance = entity<RateAcceptanceRow>('RateAcceptance', 'rate_acceptances', {
  id,
  rail: text,
  acceptedNano: bigint,
  previousNano: bigint,
  reason: text,
  acceptedBy: text,
  acceptedAt: time,
})

/** Returns null if the rate is accepted. A rejection leaves the last accepted rate in place. */
async function checkRate(db: Db, { rail, ...check }: RateToCheck): Promise<RateRejection | null> {
  const { rate, limits, now } = check
  return db.transaction(async (tx) => {
    const rejection = rateRejection({ rate, last: acceptedIn(await lockRate(tx, rail)), limits, now })
    if (rejection === null && rate !== null) await accept(tx, rail, rate, now)
    else await reject(tx, rail, { rejection, rejectedNano: rate?.gbpPerUsdNano ?? null, rejectedAt: now })
    return rejection
  })
}

export function createRateStore(db: Db, limits: ExchangeRateLimits) {
  return {
    check: (rail: RailName, rate: BankRate | null, now: Date) => checkRate(db, { rail, rate, limits, now }),
    isRejected: async (rail: RailName) => ((await findRate(db, rail))?.rejection ?? null) !== null,
  }
}

interface RateToCheck {
  readonly rail: RailName
  /** Null if the bank's response had no readable rate. */
  readonly rate: BankRate | null
  readonly limits: ExchangeRateLimits
  readonly now: Date
}

/** Returns null before the first rate check for this rail. */
export async function findRate(db: Queryable, rail: RailName): Promise<ExchangeRateRow | null> {
  return db.repo(exchangeRate).findOneBy({ rail })
}

interface RateAcceptance extends RateToCheck {
  readonly rate: BankRate
  readonly environment: Environment
  readonly reason: string
  readonly by: string
}

/**
 * Accepts a rate that was rejected as a jump, and records the acceptance in every partner's activity list. Returns
 * `jump` if the rate was accepted. For any other result, nothing changes. Null means that the rate needs no acceptance.
 */
export async function acceptJump(
  db: Db,
  { rail, rate, limits, now, environment, reason, by }: RateAcceptance,
): Promise<RateRejection | null> {
  return db.transaction(async (tx) => {
    const last = acceptedIn(await lockRate(tx, rail))
    const rejection = rateRejection({ rate, last, limits, now })
    if (rejection !== 'jump' || last === null) return rejection
    await accept(tx, rail, rate, now)
    await tx.repo(rateAcceptance).insert({
      id: newId(now),
      rail,
      acceptedNano: rate.gbpPerUsdNano,
      previousNano: last.gbpPerUsdNano,
      reason,
      acceptedBy: by,
      acceptedAt: now,
    })
    await tx.sql`INSERT INTO activity (partner_id, at, environment, action, changes, made_by, detail)
      SELECT id, ${now}, ${environment}, 'rate.accept', true, ${by}, ${formatRate(rate.gbpPerUsdNano)} FROM partners`
    return rejection
  })
}

export function acceptedIn(row: ExchangeRateRow | null): AcceptedRate | null {
  if (row === null || row.acceptedNano === null || row.acceptedAt === null) return null
  return { gbpPerUsdNano: row.acceptedNano, acceptedAt: row.acceptedAt }
}

async function lockRate(tx: Tx, rail: RailName): Promise<ExchangeRateRow | null> {
  // The no-op update locks the row if it already exists.
  const [row] = await tx.sql<ExchangeRateRow>`INSERT INTO exchange_rates (rail) VALUES (${rail})
    ON CONFLICT (rail) DO UPDATE SET rail = excluded.rail RETURNING ${columnsOf(exchangeRate)}`
  return row ?? null
}

async function accept(tx: Tx, rail: RailName, { gbpPerUsdNano }: BankRate, at: Date): Promise<void> {
  const noRejection = { rejection: null, rejectedNano: null, rejectedAt: null }
  await tx.repo(exchangeRate).update({ rail }, { acceptedNano: gbpPerUsdNano, acceptedAt: at, ...noRejection })
}

type Rejected = Pick<ExchangeRateRow, 'rejection' | 'rejectedNano' | 'rejectedAt'>

async function reject(tx: Tx, rail: RailName, rejected: Rejected): Promise<void> {
  await tx.repo(exchangeRate).update({ rail }, rejected)
}
