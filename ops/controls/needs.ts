// The rules of `status`: the conditions that need an operator. The thresholds are those of
// docs/observability/alerts.yml.
import type { RailState } from '../../db/bank/rail-pauses'
import type { OpenWork } from '../../db/controls/metrics'
import type { OverdueWork, Upkeep } from '../../db/controls/upkeep-metrics'
import type { ListedWorker } from '../../db/controls/workers'
import type { UndeliverableNotices } from '../../db/partners/notices'
import type { OldestPending } from '../../db/payouts/open'
import type { Environment } from '../../domain/environment'
import { formatPence } from '../../domain/money'
import { londonMonthOf, startOf } from '../../domain/month'
import { type BankReport, problemsOf } from '../bank/check'

export interface Situation {
  readonly at: Date
  readonly rails: readonly RailState[]
  readonly work: readonly OpenWork[]
  readonly oldest: readonly OldestPending[]
  readonly upkeep: Upkeep
  /** Notices that no one can receive. */
  readonly unreadable: readonly UndeliverableNotices[]
  readonly workers: readonly ListedWorker[]
  /** The task queues that must have a worker. */
  readonly queues: readonly string[]
  readonly banks: readonly BankReport[]
  /** `answers`, or why Temporal cannot be used. Null if TEMPORAL_ADDRESS is not set. */
  readonly temporal: string | null
}

export interface Need {
  /** Null if the need concerns both environments. */
  readonly environment: Environment | null
  readonly code: string
  /** The problem, and the command that shows or fixes it. */
  readonly text: string
}

/** Most urgent first: outages, then payouts, then the books, then scheduled work. */
export function needsOf(situation: Situation): Need[] {
  const { banks, rails, work, upkeep, unreadable, at } = situation
  return [
    ...processNeeds(situation),
    ...banks.flatMap((bank) =>
      problemsOf(bank).map(({ name, text }) => need(bank.environment, `bank_${name}`, `bank: ${text}`)),
    ),
    ...rails.flatMap(pauseNeed),
    ...work.flatMap((each) => workNeed(each, situation)),
    ...upkeep.left.flatMap(leftNeed),
    ...unreadable.map((each) => unreadableNeed(each, at)),
    ...billingNeed(upkeep, at),
  ]
}

function processNeeds({ temporal, workers, queues }: Situation): Need[] {
  const away = temporal === null || temporal === answers ? [] : [need(null, 'temporal', temporal)]
  const working = workers.filter(({ state }) => state === 'working').flatMap(({ taskQueues }) => taskQueues)
  const idle = queues.filter((queue) => !working.includes(queue))
  const missing = `no worker polls ${idle.join(', ')}: payouts wait until you start a worker (see \`worker list\`)`
  return idle.length === 0 ? away : [...away, need(null, 'no_worker', missing)]
}

export const answers = 'answers'

function pauseNeed({ environment, pausedAt, pausedBy, reason, unsent, unsentPence }: RailState): Need[] {
  if (pausedAt === null) return []
  const why = reason === null ? 'no reason given' : reason
  const waiting = `${payouts(unsent)} (${formatPence(unsentPence)} GBP) ${unsent === 1 ? 'is waiting' : 'are waiting'} for \`rail resume\``
  return [need(environment, 'rail_paused', `rail paused by ${pausedBy ?? 'an unknown operator'} (${why}): ${waiting}`)]
}

function workNeed({ kind, sort, environment, count, ageSeconds }: OpenWork, { oldest }: Situation): Need[] {
  const is = (code: string, text: string) => [need(environment, code, text)]
  const age = formatDuration(ageSeconds)
  if (count === 0) return []
  switch (kind) {
    case 'pending': {
      if (ageSeconds <= 900) return []
      const first = oldest.find((each) => each.environment === environment && each.bank === sort)
      const see = first === undefined ? 'see `payout attention`' : `see \`payout explain ${first.payoutId}\``
      return sort === 'called'
        ? is(
            'pending_unconfirmed',
            `payout unconfirmed for ${age}: the bank may have it, so never pay it again; ${see}`,
          )
        : is('pending_unsent', `payout not sent for ${age} although nothing holds it: check the workers; ${see}`)
    }
    case 'open':
      if (sort === 'processing' && ageSeconds > 7_200)
        return is(
          'processing_old',
          `payout at the bank for ${age} without a delivery: contact the bank; \`payout attention\` lists the late ones`,
        )
      if ((sort === 'failed' || sort === 'returned') && ageSeconds > 86_400)
        return is(
          'money_not_back',
          `money of a ${sort} payout has not been refunded for ${age}: ask the bank for the refund`,
        )
      return []
    case 'attention':
      return is(
        'attention',
        `${payouts(count)} ${count === 1 ? 'needs' : 'need'} attention: \`payout attention\` lists the next steps`,
      )
    case 'not_charged':
      return is('not_charged', `${payouts(count)} cannot be charged, which blocks an invoice: see \`payout attention\``)
    case 'drift':
      return is('drift', `drift ${sort} (${count}), first seen ${age} ago: see \`proof list\``)
    case 'held_deposits':
      return is(
        'held_deposits',
        `${count} held ${count === 1 ? 'deposit' : 'deposits'}, the oldest for ${age}: see \`deposit list\``,
      )
    case 'quarantined':
      return is(
        'quarantined_events',
        `${count} bank ${count === 1 ? 'event contradicts' : 'events contradict'} our books: see \`bank-event list\``,
      )
    case 'not_read':
      return ageSeconds > 900 ? is('wallet_not_read', `wallet history not read for ${age}: see \`deposit list\``) : []
    case 'rejected_rate':
      return is('rate_rejected', `exchange rate rejected (${sort}), so new payouts get 502: see \`rate show\``)
    case 'requested_names':
      return is('requested_names', `${count} new ${count === 1 ? 'name' : 'names'} to approve: see \`partner list\``)
    case 'paused':
      return []
  }
}

function leftNeed({ work, sort, count, ageSeconds }: OverdueWork): Need[] {
  const age = formatDuration(ageSeconds)
  const late = (limitSeconds: number, code: string, text: string) =>
    ageSeconds > limitSeconds ? [need(null, code, text)] : []
  switch (work) {
    case 'prove':
      return late(3_600, 'proof_old', `a ${sort} wallet has not been reconciled for ${age}: run \`proof\``)
    case 'seal':
      return late(900, 'not_sealed', `rows have not been sealed for ${age}: check the seal-audit Schedule`)
    case 'verify':
      return count > 0
        ? [need(null, 'audit_fault', 'the audit chain is broken: change nothing; `audit verify` names the row')]
        : late(172_800, 'audit_not_verified', `the audit chain has not been verified for ${age}: run \`audit verify\``)
    case 'mail':
      return late(
        sort === 'invoice' ? 21_600 : 300,
        'mail_waits',
        `${count} ${sort} ${count === 1 ? 'email is waiting' : 'emails are waiting'}, the oldest for ${age}: check SMTP_URL and the log of the API`,
      )
    case 'erase':
      return late(172_800, 'not_erased', `${sort} are ${age} past their retention period: check the retention Schedule`)
  }
}

function unreadableNeed({ slug, count, since }: UndeliverableNotices, at: Date): Need {
  const age = formatDuration(Math.max(0, (at.getTime() - since.getTime()) / 1_000))
  const waiting = count === 1 ? '1 live notice has waited' : `${count} live notices have waited`
  const why = `${waiting} for ${age} because no one can receive email for ${slug}`
  return need(
    'live',
    'notices_unreadable',
    `${why}: set an address with \`partner set --partner ${slug} --contact-email <email>\``,
  )
}

/** Allows half a day for the scheduled run on the 1st. */
function billingNeed({ notBilled }: Upkeep, at: Date): Need[] {
  const isEarly = at.getTime() - startOf(londonMonthOf(at)).getTime() < 12 * 3_600_000
  if (notBilled === 0 || isEarly) return []
  const who = notBilled === 1 ? '1 partner has' : `${notBilled} partners have`
  return [need(null, 'not_billed', `${who} no invoice for last month: \`invoices rerun\` bills them`)]
}

function need(environment: Environment | null, code: string, text: string): Need {
  return { environment, code, text }
}

function payouts(count: number): string {
  return count === 1 ? '1 payout' : `${count} payouts`
}

/** A duration with one or two units: 45 s, 12 min, 3 h 20 min, 5 d. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return `${Math.floor(seconds)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d`
}
