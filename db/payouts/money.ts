// Every ledger posting for a payout: debit, reversal, payment, refund and return.
import { assert } from '../../domain/assert'
import {
  debitPostings,
  type Posting,
  paidOutPostings,
  refundPostings,
  returnPostings,
  reversePostings,
} from '../../domain/wallets/ledger'
import type { Queryable, Tx } from '../database'
import { isPosted, type Posted, postSet } from '../wallets/ledger'
import type { StepRow } from './steps'

/** Debits the wallet for this attempt. Repeated calls post once. */
export function postDebit(tx: Tx, row: StepRow, at: Date): Promise<Posted> {
  return postSet(tx, { ...debitOf(row), payoutId: row.id, createdBy: 'payout', at, postings: debitsOf(row) })
}

/** Uses a separate cause_ref if the ledger already has this attempt's first debit. */
export async function postDebitAgain(tx: Tx, row: StepRow, { by, at }: { by: string; at: Date }): Promise<Posted> {
  const debit = debitOf(row)
  const causeRef = (await isPosted(tx, debit)) ? `${debit.causeRef}/bound` : debit.causeRef
  return postSet(tx, { ...debit, causeRef, payoutId: row.id, createdBy: by, at, postings: debitsOf(row) })
}

export function isDebited(db: Queryable, row: StepRow): Promise<boolean> {
  return isPosted(db, debitOf(row))
}

/** Posts nothing for an attempt that was never debited. Repeated calls post once. */
export async function reverseDebit(tx: Tx, row: StepRow, at: Date): Promise<void> {
  if (!(await isDebited(tx, row))) return
  const postings = reversePostings(row.walletSendsMicroUsdc)
  await postSet(tx, { ...debitOf(row), cause: 'reversal', payoutId: row.id, createdBy: 'payout', at, postings })
}

export function postPaidOut(tx: Tx, row: StepRow, at: Date): Promise<void> {
  return post(tx, row, { cause: 'paid_out', postings: paidOutPostings(row.walletSendsMicroUsdc), at })
}

/** Posts the amount that the bank sent back, as a refund, or as a return if the payout had completed. */
export function postBack(
  tx: Tx,
  row: StepRow,
  { amountMicroUsdc, movementRef }: { readonly amountMicroUsdc: bigint; readonly movementRef: string | null },
  at: Date,
): Promise<void> {
  const sent = row.walletSendsMicroUsdc
  const back = { bankRef: movementRef, at }
  return row.completedAt === null
    ? post(tx, row, { ...back, cause: 'refund', postings: refundPostings(sent, amountMicroUsdc) })
    : post(tx, row, { ...back, cause: 'return', postings: returnPostings(sent, amountMicroUsdc) })
}

interface ToPost {
  readonly cause: string
  readonly bankRef?: string | null
  readonly postings: readonly Posting[]
  readonly at: Date
}

/**
 * The ledger rejects a second set for the same transfer or bank movement, so a refund that is later read as a deposit
 * cannot be booked again.
 */
async function post(tx: Tx, row: StepRow, set: ToPost): Promise<void> {
  assert(row.transferRef !== null, 'a payout without a transfer cannot settle')
  const about = { walletId: row.walletId, payoutId: row.id, createdBy: 'bank' }
  const { outcome } = await postSet(tx, { ...about, causeRef: row.transferRef, ...set })
  // According to the payout's row, this money is not booked yet. If another posting has already booked it, the payout
  // must not close.
  assert(outcome === 'posted', 'a payout must book its own payment or refund')
}

/** The key of this attempt's debit in the ledger. */
function debitOf({ walletId, id, attempt }: StepRow) {
  return { walletId, cause: 'debit', causeRef: `${id}/${attempt}` }
}

function debitsOf({ walletSendsMicroUsdc }: StepRow): readonly Posting[] {
  return debitPostings(walletSendsMicroUsdc)
}
