// I3 for the timeline: every attempt begins with a request, makes only allowed transitions, and ends with the status in
// the payout's row.

import { canMove, type PayoutStatus } from '../../domain/payouts/payout'
import type { Records } from './records'

interface Timeline {
  readonly id: string
  readonly status: PayoutStatus
  readonly attempt: number
  readonly kinds: readonly string[]
  readonly statuses: readonly PayoutStatus[]
}

export async function pathRules(records: Records): Promise<string[]> {
  const timelines: Timeline[] = await records.query(`
    SELECT p.id::text, p.status, p.attempt, array_agg(e.kind ORDER BY e.id) AS kinds,
      array_agg(e.status ORDER BY e.id) AS statuses
    FROM payouts p LEFT JOIN payout_events e ON e.payout_id = p.id GROUP BY p.id`)
  return timelines.flatMap(judge)
}

function judge({ id, status, attempt, kinds, statuses }: Timeline): string[] {
  const found: string[] = []
  const requests = kinds.filter((kind) => kind === 'requested').length
  if (requests !== attempt) found.push(`I3 payout ${id} is at attempt ${attempt} and was requested ${requests} times`)
  if (statuses.at(-1) !== status) found.push(`I3 payout ${id} is ${status}, its timeline ends ${statuses.at(-1)}`)
  statuses.forEach((to, index) => {
    const from = statuses[index - 1]
    if (kinds[index] === 'requested') {
      if (from !== undefined && from !== 'pending') found.push(`I3 payout ${id} was requested again when ${from}`)
    } else if (from === undefined || (from !== to && !canMove(from, to))) {
      found.push(`I3 payout ${id} moved from ${from} to ${to}`)
    }
  })
  return found
}
