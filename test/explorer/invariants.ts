// The invariants after every schedule: the referee's rules, a correct answer to every cancel, and no stuck payout.
import { bankRules } from '../referee/bank-rules'
import { clientRules } from '../referee/client-rules'
import { ledgerRules } from '../referee/ledger-rules'
import { pathRules } from '../referee/path-rules'
import type { Records } from '../referee/records'
import type { ExploredRow } from './stage'
import type { World } from './world'

export async function findViolations(world: World): Promise<string[]> {
  const { schedule, bank, database } = world
  const records: Records = {
    query: <Rows>(sql: string, values?: unknown[]) => database.look(sql, values) as Promise<Rows>,
  }
  const row = await world.row()
  const books = bank.books()
  // A payout that waits for an operator may remain open, so the wallet balances may differ by its amount.
  const leftOpen = row !== null && isOpen(row) && row.attention !== null ? [row.id] : []
  return [
    ...schedule.failures.map((error) => `an actor failed: ${String(error)}`),
    ...world.violations,
    ...(await ledgerRules(records)),
    ...(await pathRules(records)),
    ...(await bankRules(records, books, leftOpen)),
    ...(await clientRules(records, books, world.seen)),
    ...cancelRules(world, row),
    ...answerRules(world, row),
    ...(row === null ? [] : endRules(world, row)),
  ]
}

/** The refusal of a cancel must be correct when it is answered, and must remain correct unless the caller retries. */
function cancelRules({ cancels, bank }: World, row: ExploredRow | null): string[] {
  const found: string[] = []
  for (const { by, outcome, status, wasStarted, heardAtStep } of cancels) {
    if (outcome === 'cancelled') {
      if (row?.status !== 'cancelled') found.push(`a cancel by ${by} was granted, but the payout is ${row?.status}`)
      if (row !== null && bank.transfersOf(row.id).length > 0)
        found.push(`a cancel by ${by} was granted, but the payout was paid`)
    }
    if (outcome !== 'refused') continue
    if (status === 'pending' && !wasStarted) found.push(`a cancel by ${by} was refused before any call to the bank`)
    const askedAgain = cancels.some(({ begunAtStep }) => begunAtStep >= heardAtStep)
    if (row?.status === 'cancelled' && !askedAgain)
      found.push(`a cancel by ${by} was refused, but the payout was cancelled later`)
  }
  return found
}

/** No request gets 500, and no status in a response is contradicted later. */
function answerRules({ answers }: World, row: ExploredRow | null): string[] {
  return answers.flatMap(({ http, status }) => {
    if (http === 500) return ['a request was answered with 500']
    if (status === null || row === null) return []
    const ends = endings[status]
    return ends === undefined || ends.includes(row.status)
      ? []
      : [`${status} was told, and the payout is ${row.status}`]
  })
}

const endings: Readonly<Record<string, readonly string[]>> = {
  processing: ['processing', 'completed', 'failed', 'returned'],
  completed: ['completed', 'returned'],
  failed: ['failed'],
  cancelled: ['cancelled'],
  returned: ['returned'],
}

function endRules(world: World, row: ExploredRow): string[] {
  const { schedule, temporal, plan, bank } = world
  const found: string[] = []
  if (isOpen(row) && row.attention === null)
    found.push(`the payout is neither final nor in attention: ${describeRow(row)}`)
  if (!isOpen(row) && temporal.latest(world.workflowId(row.attempt))?.status === 'RUNNING') {
    found.push('the payout is final, but its workflow is still running')
  }
  // If the explorer missed the first call, the rules about first calls would check nothing.
  if (bank.calls.length > 0 && world.starts.length === 0) found.push('the explorer has not seen the first call begin')
  const isEarly = schedule.nowMs - row.created_at.getTime() < 23 * 3_600_000
  const hasRate = plan.events.some(({ event }) => event.kind === 'rate')
  // An acknowledged payout waits out transient errors.
  if (row.status === 'failed' && row.failure_reason?.startsWith('not_sent') && isEarly && !hasRate) {
    found.push(`an acknowledged payout failed because of a transient error: ${row.failure_reason}`)
  }
  if (row.status === 'failed' && bank.transfersOf(row.id).some(({ state }) => state === 'payment_processed')) {
    found.push('a failed payout has arrived')
  }
  return found
}

export function isOpen({ released_at, closed_at }: ExploredRow): boolean {
  return released_at === null && closed_at === null
}

export function describeRow({ status, verdict, attention, submit_started_at, failure_reason }: ExploredRow): string {
  const called = submit_started_at === null ? 'no call' : 'a call'
  return [status, verdict, attention, called, failure_reason].filter(Boolean).join(', ')
}
