// The bank's exchange rate: shows whether it is used or rejected, and accepts a jump that an operator has checked.
import { acceptedIn, acceptJump, findRate } from '../../db/bank/exchange-rates'
import { type Environment, environments, type RailName } from '../../domain/environment'
import { formatRate, type GbpPerUsdNano } from '../../domain/rate'
import {
  type AcceptedRate,
  allowedJumpBasisPoints,
  type BankRate,
  basisPointsBetween,
  type ExchangeRateLimits,
  type RateRejection,
  rateRejection,
} from '../../domain/rate-check'
import { RailRefused, RailUnavailable } from '../../rail/rail'
import { createRails } from '../../rail/rails'
import { type Command, defineCommand, done, refused } from '../command'
import type { Ops } from '../connect'
import { environment, exchangeRate, optional, reason, required, theEnvironment } from '../options'
import { table } from '../print'

const show = defineCommand('rate show', {
  about:
    "Shows the bank's current rate in each environment, the last accepted one, and why the current one is rejected.",
  options: { environment: optional(environment, 'Only this environment.') },
  async run(ops, given) {
    const wanted = environments.filter((each) => given.environment === undefined || given.environment === each)
    const found = await Promise.all(wanted.map((each) => lookUp(ops, each)))
    const data = found.map((each) => present(each, ops.rates))
    const rows = data.map((each) => [
      each.environment,
      each.state,
      each.gbp_per_usd,
      each.midmarket_gbp_per_usd,
      each.age_seconds === null ? null : `${each.age_seconds} s`,
      each.accepted_gbp_per_usd,
      each.accepted_at,
    ])
    const why = data.flatMap((each) => (each.explanation === null ? [] : [`${each.environment}: ${each.explanation}`]))
    return done({ object: 'list', data }, [table(header, rows), ...why].join('\n'))
  },
})

const accept = defineCommand('rate accept', {
  about:
    'Accepts a rate that is rejected because it jumped, after you have checked it against another source. A rate that is stale or far from the mid-market rate cannot be accepted.',
  options: {
    environment: theEnvironment,
    rate: required(exchangeRate, 'The rate, exactly as `rate show` prints it.'),
    reason: required(reason, 'Why the jump is real, and where you checked it.'),
  },
  bare: 'rate',
  example: ['--environment', 'live', '--rate', '0.8374', '--reason', 'Sterling fell after the vote, see ticket 4711'],
  async run(ops, given) {
    const { db, clock, madeBy: by, rates: limits } = ops
    const found = await lookUp(ops, given.environment)
    const { answer, rail } = found
    if (answer === 'no_bank') return refused('invalid_state', `There is no ${given.environment} bank.`)
    if (answer === 'no_answer') throw new RailUnavailable('rate')
    const quoted = answer === 'unusable' ? null : answer
    if (quoted !== null && quoted.gbpPerUsdNano !== given.rate)
      return refused(
        'invalid_state',
        `The bank now quotes ${formatRate(quoted.gbpPerUsdNano)}, so nothing was accepted.`,
      )
    const about = { rail, environment: given.environment, reason: given.reason, by, limits, now: clock.now() }
    const rejection = quoted === null ? 'unusable' : await acceptJump(db, { ...about, rate: quoted })
    if (rejection === null) return refused('invalid_state', 'The rate is not rejected, so there is nothing to accept.')
    if (quoted === null || rejection !== 'jump')
      return refused('invalid_state', `Only a jump can be accepted: ${explain({ ...found, rejection }, limits)}`)
    const text = formatRate(quoted.gbpPerUsdNano)
    return done(
      { environment: given.environment, gbp_per_usd: text, accepted_by: by, accepted_at: about.now.toISOString() },
      `The rate ${text} is accepted in ${given.environment}; quotes and payouts use it within 5 seconds.`,
    )
  },
})

export const commands: readonly Command[] = [show, accept]

const railOf: Readonly<Record<Environment, RailName>> = { live: 'provider_production', sandbox: 'provider_sandbox' }
const timeouts = { connectMs: 2_000, callMs: 10_000 }

interface LookedUp {
  readonly environment: Environment
  readonly rail: RailName
  readonly answer: BankRate | 'unusable' | 'no_answer' | 'no_bank'
  readonly last: AcceptedRate | null
  readonly rejection: RateRejection | null
  readonly now: Date
}

/** Fetches the bank's rate without changing anything. */
async function lookUp({ db, bank, clock, rates: limits }: Ops, environment: Environment): Promise<LookedUp> {
  const rail = railOf[environment]
  const last = acceptedIn(await findRate(db, rail))
  const answer = bank[environment] === null ? 'no_bank' : await askBank({ bank, clock }, rail)
  const now = clock.now()
  const isAnswer = answer !== 'no_bank' && answer !== 'no_answer'
  const rate = answer === 'unusable' || !isAnswer ? null : answer
  const rejection = isAnswer ? rateRejection({ rate, last, limits, now }) : null
  return { environment, rail, answer, last, rejection, now }
}

async function askBank({ bank, clock }: Pick<Ops, 'bank' | 'clock'>, rail: RailName) {
  const rails = createRails({ bank, clock, timeouts })
  try {
    return await rails[rail].rate()
  } catch (error) {
    if (error instanceof RailRefused) return 'unusable'
    if (error instanceof RailUnavailable) return 'no_answer'
    throw error
  } finally {
    rails.close()
  }
}

const header = ['ENVIRONMENT', 'STATE', 'GBP PER USD', 'MID-MARKET', 'AGE', 'LAST ACCEPTED', 'ACCEPTED AT']

function present(found: LookedUp, limits: ExchangeRateLimits) {
  const { environment, rail, answer, last, rejection, now } = found
  const rate = typeof answer === 'string' ? null : answer
  const isKnown = answer !== 'no_bank' && answer !== 'no_answer'
  return {
    environment,
    rail,
    state: !isKnown ? answer : rejection === null ? 'accepted' : 'rejected',
    gbp_per_usd: textOf(rate?.gbpPerUsdNano),
    midmarket_gbp_per_usd: textOf(rate?.midNano),
    updated_at: rate?.updatedAt.toISOString() ?? null,
    age_seconds: rate === null ? null : secondsBetween(rate.updatedAt, now),
    accepted_gbp_per_usd: textOf(last?.gbpPerUsdNano),
    accepted_at: last?.acceptedAt.toISOString() ?? null,
    rejection,
    explanation: rejection === null ? null : explain(found, limits),
  }
}

function explain({ answer, last, rejection, now }: LookedUp, limits: ExchangeRateLimits): string {
  const rate = typeof answer === 'string' ? null : answer
  if (rate === null) return 'the bank answered without a readable rate.'
  if (rejection === 'stale') {
    const age = secondsBetween(rate.updatedAt, now)
    if (age < 0) return `the rate is dated ${-age} s in the future.`
    return `the rate is ${age} s old; at most ${limits.maxAgeMs / 1000} s is allowed.`
  }
  if (rejection === 'off_mid' || last === null) {
    const far = percent(basisPointsBetween(rate.gbpPerUsdNano, rate.midNano))
    return `the rate is ${far} from the mid-market rate; at most ${percent(limits.midBasisPoints)} is allowed.`
  }
  const far = percent(basisPointsBetween(rate.gbpPerUsdNano, last.gbpPerUsdNano))
  const allowed = percent(allowedJumpBasisPoints(limits, now.getTime() - last.acceptedAt.getTime()))
  return `the rate is ${far} from the last accepted rate; at most ${allowed} is allowed now. If the jump is real, use \`rate accept\`.`
}

function secondsBetween(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / 1000)
}

function percent(basisPoints: bigint | number): string {
  return `${(Number(basisPoints) / 100).toFixed(2)} %`
}

function textOf(rate: GbpPerUsdNano | undefined): string | null {
  return rate === undefined ? null : formatRate(rate)
}
