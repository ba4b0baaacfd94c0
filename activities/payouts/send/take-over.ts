// Takes over the transfer that the bank has of a payout of which our row knows no call.

import { isDebited } from '../../../db/payouts/money'
import type { StepRow } from '../../../db/payouts/steps'
import type { PayoutRef, Underway } from '../../../workflows/payouts/payout'
import type { PayoutDeps } from '../../bind'
import { unconfirmed } from '../standing'
import { holdPayout } from './hold'
import { lookFor } from './look'
import { recordTransfer } from './submit'

/** Null on proof that the bank has nothing of it, and of one that was never debited: it can neither be settled nor sent. */
export async function takeOver(deps: PayoutDeps, payout: PayoutRef, row: StepRow): Promise<Underway | null> {
  if (!(await isDebited(deps.db, row))) return null
  const found = await lookFor(deps, row)
  if (found.outcome === 'absent') return null
  if (found.outcome === 'no answer') return holdPayout(deps, payout, noAnswer)
  if (found.outcome === 'incomplete') return holdPayout(deps, payout, found.transferRef ? unreadable : undecided)
  deps.log.warn({ payout_id: row.id, transfer_ref: found.transfer.ref }, 'the bank has what no row knew to be sent')
  return recordTransfer(deps, payout, row, found.transfer)
}

const undecided: Underway = { ...unconfirmed, at: 'unsent', says: 'waiting: an operator has to decide' }
const noAnswer: Underway = { ...undecided, says: 'waiting: the bank does not say whether it has it' }
/** A transfer that names the payout: the row was restored and a call was made, so a cancel comes too late. */
const unreadable: Underway = { ...undecided, at: 'unknown' }
