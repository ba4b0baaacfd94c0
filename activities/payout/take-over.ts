// Takes over the transfer that the bank has of a payout of which our row knows no call.
import { isPosted } from '../../db/ledger'
import type { StepRow } from '../../db/payout-steps'
import type { PayoutRef, Underway } from '../../workflows/payout-steps'
import type { PayoutDeps } from './deps'
import { holdPayout } from './hold'
import { lookFor } from './look'
import { debitOf } from './release'
import { unconfirmed } from './standing'
import { recordTransfer } from './submit'

/** Null on proof that the bank has nothing of it, and of one that was never debited: it can neither be settled nor sent. */
export async function takeOver(deps: PayoutDeps, payout: PayoutRef, row: StepRow): Promise<Underway | null> {
  if (!(await isPosted(deps.db, debitOf(row)))) return null
  const found = await lookFor(deps, row)
  if (found.outcome === 'absent') return null
  if (found.outcome !== 'found') return holdPayout(deps, payout, unsure[found.outcome])
  deps.log.warn({ payout_id: row.id, transfer_ref: found.transfer.ref }, 'the bank has what no row knew to be sent')
  return recordTransfer(deps, payout, row, found.transfer)
}

const unsent: Underway = { ...unconfirmed, at: 'unsent' }
const unsure: Readonly<Record<'incomplete' | 'no answer', Underway>> = {
  'no answer': { ...unsent, says: 'waiting: the bank does not say whether it has it' },
  incomplete: { ...unsent, says: 'waiting: an operator has to decide' },
}
