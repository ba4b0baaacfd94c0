// `status`: the whole system on one screen, and the conditions that need an operator.
import { railStates } from '../../db/bank/rail-pauses'
import { type OpenWorkKind, readOpenWork } from '../../db/controls/metrics'
import { readUpkeep } from '../../db/controls/upkeep-metrics'
import { type ListedWorker, listWorkers } from '../../db/controls/workers'
import { listUndeliverableNotices } from '../../db/partners/notices'
import { listOldestPending } from '../../db/payouts/open'
import { type Environment, environments } from '../../domain/environment'
import { formatPence, formatUsdc } from '../../domain/money'
import { housekeepingQueue, ofSystem, payoutQueue } from '../../workflows/names'
import { checkBanks, problemsOf } from '../bank/check'
import { type Command, defineCommand, done, foundProblem } from '../command'
import type { Ops } from '../connect'
import { OperatorError } from '../errors'
import { columns, shownAtOnce } from '../print'
import { withTemporal } from '../reach-temporal'
import { answers, formatDuration, type Need, needsOf, type Situation } from './needs'

const show = defineCommand('status show', {
  whenAlone: 'runs',
  about:
    'Shows rails, banks, workers, waiting payouts, attention, drifts, held deposits, emails and notices on one screen. Exits with 1 when something needs an operator.',
  async run(ops) {
    const situation = await look(ops)
    const needs = needsOf(situation)
    const json = present(situation, needs)
    const list = needs.map(({ environment, text }) => [environment ?? '-', text])
    const verdict =
      needs.length === 0 ? 'Nothing needs an operator.' : `Needs an operator:\n${columns(list).replace(/^/gm, '  ')}`
    const text = [screenOf(json), verdict].join('\n\n')
    return needs.length === 0 ? done(json, text) : foundProblem(json, text)
  },
})

export const commands: readonly Command[] = [show]

async function look(ops: Ops): Promise<Situation> {
  const { db, clock, retention, taskQueuePrefix: prefix } = ops
  const at = clock.now()
  const [rails, work, oldest, upkeep, unreadable, workers, banks, temporal] = await Promise.all([
    railStates(db),
    readOpenWork(db, at),
    listOldestPending(db),
    readUpkeep(db, { now: at, retention }),
    listUndeliverableNotices(db, shownAtOnce),
    listWorkers(db),
    checkBanks(ops),
    askTemporal(ops),
  ])
  const queues = [...environments.map((each) => payoutQueue(each, prefix)), ofSystem(housekeepingQueue, prefix)]
  return { at, rails, work, oldest, upkeep, unreadable, workers, queues, banks, temporal }
}

async function askTemporal(ops: Ops): Promise<string | null> {
  if (ops.temporal === null) return null
  try {
    await withTemporal(ops, ({ workflowService, options }) =>
      workflowService.describeNamespace({ namespace: options.namespace }),
    )
    return answers
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}

function present(situation: Situation, needs: readonly Need[]) {
  const { at, workers, temporal, upkeep, unreadable } = situation
  const mails = upkeep.left.filter(({ work }) => work === 'mail')
  return {
    object: 'status',
    at: at.toISOString(),
    needs_operator: needs,
    live: presentEnvironment(situation, 'live'),
    sandbox: presentEnvironment(situation, 'sandbox'),
    workers: countStates(workers),
    temporal,
    mails_waiting: mails.reduce((sum, { count }) => sum + count, 0),
    notices_unreadable: unreadable.reduce((sum, { count }) => sum + count, 0),
    oldest_mail_seconds: Math.max(0, ...mails.map(({ ageSeconds }) => Math.floor(ageSeconds))),
  }
}

function presentEnvironment(situation: Situation, environment: Environment) {
  const isOurs = (each: { readonly environment: Environment }) => each.environment === environment
  const rail = situation.rails.find(isOurs)
  const bank = situation.banks.find(isOurs)
  const pending = situation.oldest.find(isOurs)
  const work = (kind: OpenWorkKind) => situation.work.filter((each) => isOurs(each) && each.kind === kind)
  const count = (kind: OpenWorkKind) => work(kind).reduce((sum, each) => sum + each.count, 0)
  const [problem] = bank === undefined ? [] : problemsOf(bank)
  const isAway = bank === undefined || bank.answerMs === null
  return {
    rail: rail?.pausedAt ? 'paused' : 'open',
    paused_at: rail?.pausedAt?.toISOString() ?? null,
    bank: problem?.text ?? (isAway ? (bank?.checks[0]?.text ?? null) : answers),
    bank_answer_ms: bank?.answerMs ?? null,
    oldest_pending:
      pending === undefined ? null : { id: pending.payoutId, created_at: pending.createdAt.toISOString() },
    unsent: rail?.unsent ?? 0,
    unsent_gbp: formatPence(rail?.unsentPence ?? 0n),
    unconfirmed: rail?.unconfirmed ?? 0,
    unconfirmed_gbp: formatPence(rail?.unconfirmedPence ?? 0n),
    attention: count('attention'),
    drifts: count('drift'),
    held_deposits: count('held_deposits'),
    held_usdc: formatUsdc(work('held_deposits').reduce((sum, { microUsdc }) => sum + microUsdc, 0n)),
    quarantined_events: count('quarantined'),
  }
}

const shownStates = ['working', 'draining', 'drained', 'gone'] as const

function countStates(workers: readonly ListedWorker[]): Readonly<Record<string, number>> {
  const count = (wanted: string) => workers.filter(({ state }) => state === wanted).length
  return Object.fromEntries(shownStates.map((state) => [state, count(state)]))
}

type Status = ReturnType<typeof present>

function screenOf(status: Status): string {
  const at = new Date(status.at)
  const [live, sandbox] = [cellsOf(status.live, at), cellsOf(status.sandbox, at)]
  const rows = live.map(([name, cell], index) => [name, cell ?? '-', sandbox[index]?.[1] ?? '-'])
  const workers = Object.entries(status.workers).filter(([state, count]) => count > 0 || state === 'working')
  const { mails_waiting: mails, oldest_mail_seconds: oldest, notices_unreadable: notices, temporal } = status
  const shared = [
    ['workers', workers.map(([state, count]) => `${count} ${state}`).join(', ')],
    ['Temporal', temporal ?? 'not checked: TEMPORAL_ADDRESS is not set'],
    ['emails waiting', mails === 0 ? '-' : `${mails}, the oldest for ${formatDuration(oldest)}`],
    ['unreadable notices', notices === 0 ? '-' : String(notices)],
  ]
  return [columns([[status.at, 'LIVE', 'SANDBOX'], ...rows]), columns(shared)].join('\n\n')
}

/** Row names and texts. Null if there is nothing to show. */
function cellsOf(each: Status['live'], at: Date): readonly (readonly [string, string | null])[] {
  const since = (time: string) => formatDuration(Math.max(0, (at.getTime() - new Date(time).getTime()) / 1_000))
  const sum = (count: number, amount: string) => (count === 0 ? null : `${count}, ${amount}`)
  const bank = each.bank === answers ? `answers in ${each.bank_answer_ms} ms` : (each.bank?.split(':')[0] ?? null)
  return [
    ['rail', each.paused_at === null ? each.rail : `${each.rail} for ${since(each.paused_at)}`],
    ['bank', bank],
    ['oldest pending', each.oldest_pending && since(each.oldest_pending.created_at)],
    ['unsent', sum(each.unsent, `${each.unsent_gbp} GBP`)],
    ['unconfirmed', sum(each.unconfirmed, `${each.unconfirmed_gbp} GBP`)],
    ['attention', each.attention === 0 ? null : String(each.attention)],
    ['drifts', each.drifts === 0 ? null : String(each.drifts)],
    ['held deposits', sum(each.held_deposits, `${each.held_usdc} USDC`)],
    ['bank events', each.quarantined_events === 0 ? null : `${each.quarantined_events} quarantined`],
  ]
}
