// A payout that will not be sent: the debit is reversed, and the key is free again unless the payout was acknowledged.
import type { Tx } from '../../db/database'
import { reverseDebit } from '../../db/payouts/money'
import { wipeRecipient } from '../../db/payouts/recipients/sealed'
import { keepPayout, lockStep, releaseRow, type StepRow } from '../../db/payouts/steps'
import { assert } from '../../domain/assert'
import { kept, type Refusal, refused } from '../../domain/payouts/verdict'
import type { PayoutRef, Underway } from '../../workflows/payouts/payout'
import type { PayoutDeps } from '../bind'
import { over, standingOf } from './standing'
import { noteUnknown } from './unknown'

export interface Refused {
  readonly code: Refusal
  readonly details: Readonly<Record<string, string>> | null
  /** A stable code, then a sentence: what a payout that was acknowledged fails with. */
  readonly failureReason: string
  /** An acknowledged payout waits until the trouble is over. An unacknowledged one is refused, and the caller retries. */
  readonly trouble?: 'passing'
}

/** What shows that nothing was sent. It must still hold under the row's lock, since another run may have continued. */
export type Proof = 'nothing-called' | 'own-calls' | 'absent-at-the-bank'

/** Gives the money back where the proof still holds; where it does not, the row says how the payout really stands. */
export async function releasePayout(
  deps: PayoutDeps,
  payout: PayoutRef,
  refusal: Refused & { readonly proof: Proof },
): Promise<Underway> {
  return deps.db.transaction(async (tx) => {
    const row = await lockStep(tx, payout.payoutId)
    const standing = standingOf(row, payout)
    if (standing !== null && (standing.at !== 'unknown' || !holds[refusal.proof](row))) {
      // Noted before the caller is answered: the run that made the call can no longer withdraw it.
      return standing.at === 'unknown' ? noteUnknown({ clock: deps.clock, db: tx }, payout) : standing
    }
    if (refusal.trouble === 'passing' && isAcknowledged(row)) return unsent
    await reverseDebit(tx, row, deps.clock.now())
    return refuse(tx, row, refusal, deps.clock.now())
  })
}

/** Of a row that neither is over nor has a transfer, and under whose bank key a call was started. */
const holds: Readonly<Record<Proof, (row: StepRow) => boolean>> = {
  'nothing-called': () => false,
  // A second run notes "unknown" before it answers or calls: from then on the first one's calls are not all there were.
  'own-calls': ({ verdict }) => verdict === null,
  'absent-at-the-bank': ({ verdict }) => verdict === 'unknown',
}

/** Under the row's lock: what was acknowledged never vanishes, everything else was never there. */
export async function refuse(
  tx: Tx,
  row: StepRow,
  { code, details, failureReason }: Refused,
  at: Date,
): Promise<Underway> {
  const payoutId = row.id
  await wipeRecipient(tx, payoutId)
  if (!isAcknowledged(row)) {
    await releaseRow(tx, { payoutId, verdict: code, details, at })
    return over('refused', code, refused(code, details))
  }
  const none = { transferRef: null, transferState: null, event: 'failed', afterwards: 'closed' } as const
  const recorded = await keepPayout(tx, {
    payoutId,
    attempt: row.attempt,
    verdict: 'late_refusal',
    status: 'failed',
    failureReason,
    ...none,
    at,
  })
  assert(recorded, 'a refusal must be recorded with its reversal')
  return over('failed', failureReason, kept)
}

function isAcknowledged({ answeredAt, verdict }: StepRow): boolean {
  return answeredAt !== null || verdict !== null
}

const unsent: Underway = {
  at: 'unsent',
  verdict: kept,
  status: 'pending',
  says: 'waiting until the bank takes it',
}
