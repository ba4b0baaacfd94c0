// Ends a recall or trace once. One transaction writes the outcome, charge, timeline event, activity entry and notice.

import { assert } from '../../../domain/assert'
import { casePrefix } from '../../../domain/invoices/invoice'
import { type CaseOutcome, canEnd } from '../../../domain/payouts/case'
import type { Clock } from '../../../runtime/clock'
import { recordActivity } from '../../controls/activity'
import type { Db } from '../../database'
import { chargeException } from '../../invoices/payout-charges'
import { addNotice } from '../../partners/notices'
import { addCaseNote, type CaseRow, endCase, findCase, lockCase } from './cases'

export interface CaseEnd {
  readonly caseId: string
  readonly outcome: CaseOutcome
  /** The bank's charge to us. In live mode, the partner's charge is computed from it with the price list. */
  readonly costMicropounds: bigint
  readonly note: string | null
  readonly by: string
}

export type ResolvedCase =
  | { readonly outcome: 'resolved'; readonly case: CaseRow }
  | { readonly outcome: 'already_resolved' | 'wrong_outcome'; readonly case: CaseRow }
  | { readonly outcome: 'not_found' }

/** Never moves the payout's money. Whatever the outcome, returned money is booked only when the bank reports it. */
export async function resolveCase({ db, clock }: { db: Db; clock: Clock }, wanted: CaseEnd): Promise<ResolvedCase> {
  const { caseId, outcome, costMicropounds, note, by } = wanted
  return db.transaction(async (tx) => {
    const row = await lockCase(tx, caseId)
    if (row === null) return { outcome: 'not_found' }
    if (row.resolvedAt !== null) return { outcome: 'already_resolved', case: row }
    if (!canEnd(row.kind, outcome)) return { outcome: 'wrong_outcome', case: row }

    const at = clock.now()
    const { partnerId, environment, payoutId } = row
    if (note !== null) await addCaseNote(tx, { caseId, at, madeBy: by, note })
    assert(await endCase(tx, row, { outcome, costMicropounds, by, at }), 'ending a locked, open case must succeed')
    if (costMicropounds > 0n) {
      const payout = { id: payoutId, partnerId, environment }
      await chargeException(tx, payout, { causeRef: `${casePrefix}${caseId}`, costMicropounds, at })
    }
    const entry = { partnerId, at, environment, action: 'case.resolve', status: null, madeBy: by, requestId: null }
    const detail = `${row.kind} of ${payoutId}: ${outcome}`
    await recordActivity(tx, [{ ...entry, changes: 'something', detail }])
    await addNotice(tx, { partnerId, environment, kind: 'case', about: caseId, at })
    const ended = await findCase(tx, caseId)
    assert(ended !== null, 'an ended case must exist')
    return { outcome: 'resolved', case: ended }
  })
}
